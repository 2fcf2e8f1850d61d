import { fromJson, toJson } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import {
  ClassificationSchema,
  ClassificationStatus,
  ReasonCode,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Classification } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { splitChunks, getCombinations, readBranches } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import mongoose, { trusted } from "mongoose";
import type { Model } from "mongoose";
import type { ClassifierModels } from "./classifier-document.ts";

/** The work that remains for a record: its file is to be moved to its project and, if wanted, extracted. */
export interface Placement {
  /** The file that was classified. */
  sourceFileId: string;
  /** Whether the file is to be extracted too. */
  extract: boolean;
  /** The time after which a sweep does it. */
  dueAt: Date;
}

/** A record with the data that only the service needs. */
export interface ClassificationRecord {
  classification: Classification;
  organizationId: string;
  /** The token that it was created with. */
  tokenId: string;
  /** Undefined when nothing remains to be done. */
  placement?: Placement | undefined;
}

/** Selects records of a classifier. */
export interface ClassificationQuery {
  classifierId: string;
  organizationId: string;
  status?: ClassificationStatus;
  reason?: ReasonCode;
  routeId?: string;
  externalId?: string;
  /** Only records of these projects or created with this token. All records if undefined. */
  visibleTo?: { projectIds: readonly string[]; tokenId: string };
  limit: number;
  /** Only records older than the one with this ID. */
  before?: string;
}

/** Stores classification records. */
export interface ClassificationStore {
  /** Stores a record and counts it in one transaction. `toResponse` returns the response of the call. False if the classifier was deleted. */
  insert(record: ClassificationRecord, toResponse: () => Classification): Promise<boolean>;
  find(classificationId: string): Promise<ClassificationRecord | undefined>;
  /** Lists records, newest first. */
  list(query: ClassificationQuery): Promise<ClassificationRecord[]>;
  /** Marks the placements of records as done. */
  markPlaced(classificationIds: readonly string[]): Promise<void>;
  /** Postpones the placement of a record. */
  postpone(classificationId: string, until: Date): Promise<void>;
  /** Lists records whose placement is due, the earliest first. */
  listDue(now: Date, limit: number): Promise<ClassificationRecord[]>;
  /** Lists records whose placement is due after a time, the earliest first. */
  listDueAfter(time: Date, limit: number): Promise<ClassificationRecord[]>;
}

interface ClassificationDocument {
  _id: string;
  organizationId: string;
  tokenId: string;
  classifierId: string;
  projectId: string | null;
  status: number;
  reason: number;
  routeId: string | null;
  externalId: string | null;
  placement?: Placement;
  /** The record in the JSON of the contract. */
  record: Record<string, unknown>;
}

/**
 * The combinations of fields that lists are filtered by. Each has an index in the order of the list, so that a list reads only the
 * records that it returns, however many match only one of its filters. A query filters by at most one of status, reason and route,
 * because a reason and a route imply the status.
 */
const listFields = getCombinations<keyof ClassificationDocument>(
  [[], ["tokenId"], ["projectId"]],
  [[], ["externalId"]],
  [[], ["status"], ["reason"], ["routeId"]],
);

/** The conditions of the partial indexes, which contain only records that have the fields. Queries repeat the conditions. */
const isPresent = {
  projectId: { $gt: "" },
  externalId: { $gt: "" },
  reason: { $gt: ReasonCode.UNSPECIFIED },
  routeId: { $gt: "" },
} as const;

/** The number of projects in one query. Each is a scan of its own, and their number is limited. */
const maxProjectsPerQuery = 40;

function classificationModel(storage: Storage): Model<ClassificationDocument> {
  const schema = new mongoose.Schema<ClassificationDocument>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      tokenId: { type: String, required: true },
      classifierId: { type: String, required: true },
      projectId: { type: String, default: null },
      status: { type: Number, required: true },
      reason: { type: Number, required: true },
      routeId: { type: String, default: null },
      externalId: { type: String, default: null },
      placement: { type: { _id: false, sourceFileId: String, extract: Boolean, dueAt: Date }, default: undefined },
      record: { type: mongoose.Schema.Types.Mixed, required: true },
    },
    { versionKey: false, minimize: false },
  );
  for (const fields of listFields) {
    const present = Object.fromEntries(
      Object.entries(isPresent).filter(([field]) => fields.some((each) => each === field)),
    );
    const key = Object.fromEntries(["classifierId", ...fields, "_id"].map((field) => [field, 1 as const]));
    schema.index(key, Object.keys(present).length === 0 ? {} : { partialFilterExpression: present });
  }
  schema.index({ "placement.dueAt": 1 }, { sparse: true });
  return storage.connection.model<ClassificationDocument>("Classification", schema, "classifications");
}

/** Returns the conditions for visible records. A record is visible if it meets one of them. */
function toBranches({ tokenId, projectIds }: NonNullable<ClassificationQuery["visibleTo"]>): object[] {
  const chunks = splitChunks(projectIds, maxProjectsPerQuery);
  return [{ tokenId }, ...chunks.map((some) => ({ projectId: trusted({ $in: some, ...isPresent.projectId }) }))];
}

function toRecord(document: ClassificationDocument): ClassificationRecord {
  return {
    classification: fromJson(ClassificationSchema, document.record as JsonValue),
    organizationId: document.organizationId,
    tokenId: document.tokenId,
    placement: document.placement,
  };
}

/** Creates the store of classification records. */
export function createClassificationStore(storage: Storage, { classifiers }: ClassifierModels): ClassificationStore {
  const records = classificationModel(storage);
  // All records of a classifier change its document, which contains the count, so they are written in batches.
  const insert = storage.batchWrites<ClassificationDocument>(async (classifierId, documents, session) => {
    const increment = { $inc: { classificationCount: documents.length } };
    const { matchedCount } = await classifiers.updateOne({ _id: classifierId }, increment, { session });
    if (matchedCount === 0) return false;
    await records.insertMany(documents, { session, lean: true });
    return true;
  });

  async function findDue(when: { $lt: Date } | { $gt: Date }, limit: number): Promise<ClassificationRecord[]> {
    const found = await records
      .find({ "placement.dueAt": trusted(when) })
      .sort({ "placement.dueAt": 1 })
      .limit(limit)
      .lean();
    return found.map(toRecord);
  }

  return {
    async insert({ classification, organizationId, tokenId, placement }, toResponse) {
      const document: ClassificationDocument = {
        _id: classification.id,
        organizationId,
        tokenId,
        classifierId: classification.classifierId,
        projectId: classification.projectId ?? null,
        status: classification.status,
        reason: classification.reason?.code ?? ReasonCode.UNSPECIFIED,
        routeId: classification.routeId ?? null,
        externalId: classification.externalId ?? null,
        ...(placement === undefined ? {} : { placement }),
        record: toJson(ClassificationSchema, classification) as Record<string, unknown>,
      };
      return insert(classification.classifierId, document, toResponse);
    },

    async find(classificationId) {
      const document = await records.findById(classificationId).lean();
      return document === null ? undefined : toRecord(document);
    },

    async list({ classifierId, organizationId, status, reason, routeId, externalId, visibleTo, limit, before }) {
      const classified = status === ClassificationStatus.CLASSIFIED;
      // A record that is classified has a route, and any other has a reason.
      if (reason !== undefined && (classified || routeId !== undefined)) return [];
      if (routeId !== undefined && status !== undefined && !classified) return [];
      const filters = {
        ...(externalId === undefined ? {} : { externalId: trusted({ $eq: externalId, ...isPresent.externalId }) }),
        ...(reason === undefined ? {} : { reason: trusted({ $eq: reason, ...isPresent.reason }) }),
        ...(routeId === undefined ? {} : { routeId: trusted({ $eq: routeId, ...isPresent.routeId }) }),
        ...(status === undefined || reason !== undefined || routeId !== undefined ? {} : { status }),
        ...(before === undefined ? {} : { _id: trusted({ $lt: before }) }),
      };
      const documents = await readBranches(
        visibleTo === undefined ? [{}] : toBranches(visibleTo),
        (branch) =>
          records
            .find({ classifierId, ...branch, ...filters })
            .sort({ _id: -1 })
            .limit(limit)
            .lean<ClassificationDocument[]>(),
        (left, right) => (left._id < right._id ? 1 : -1),
        limit,
      );
      // All records of a classifier belong to its organization. If the classifier was deleted, only they contain the organization.
      return documents.filter((each) => each.organizationId === organizationId).map(toRecord);
    },

    async markPlaced(classificationIds) {
      // If this write is lost, the sweep repeats the placements, which then have no effect.
      const marked = { _id: trusted({ $in: [...classificationIds] }) };
      await records.updateMany(marked, { $unset: { placement: 1 } }, { writeConcern: { w: 1 } });
    },

    async postpone(classificationId, until) {
      await records.updateOne({ _id: classificationId }, { $set: { "placement.dueAt": until } });
    },

    listDue: (now, limit) => findDue({ $lt: now }, limit),

    listDueAfter: (time, limit) => findDue({ $gt: time }, limit),
  };
}
