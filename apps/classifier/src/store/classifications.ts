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

/** What is still to be done for a record: the file is to be put in its place and, maybe, extracted. */
export interface Placement {
  /** The file that was classified. */
  sourceFileId: string;
  /** Whether the extraction is wanted too. */
  extract: boolean;
  /** When a sweep takes it on, if it is not done until then. */
  dueAt: Date;
}

/** A record with what only the service needs to know of it. */
export interface ClassificationRecord {
  classification: Classification;
  organizationId: string;
  /** The token that made it. */
  tokenId: string;
  /** Unset once it is done. */
  placement?: Placement | undefined;
}

/** Which records of a classifier are wanted. */
export interface ClassificationQuery {
  classifierId: string;
  organizationId: string;
  status?: ClassificationStatus;
  reason?: ReasonCode;
  routeId?: string;
  externalId?: string;
  /** Only records of these projects or made by this token; all when not given. */
  visibleTo?: { projectIds: readonly string[]; tokenId: string };
  limit: number;
  /** Only records older than the one with this id. */
  before?: string;
}

/** Classification records. */
export interface ClassificationStore {
  /** Stores a record and counts it, both or neither; `answer` is what the call says of it. False when the classifier is gone. */
  insert(record: ClassificationRecord, answer: () => Classification): Promise<boolean>;
  find(classificationId: string): Promise<ClassificationRecord | undefined>;
  /** Newest first. */
  list(query: ClassificationQuery): Promise<ClassificationRecord[]>;
  /** Says that the record's file is in its place and its extraction is started. */
  placed(classificationId: string): Promise<void>;
  /** Puts off what could not be done now. */
  putOff(classificationId: string, until: Date): Promise<void>;
  /** Records whose placement is due, the longest due first. */
  due(now: Date, limit: number): Promise<ClassificationRecord[]>;
  /** Records whose placement is due after a time, the next first. */
  dueAfter(time: Date, limit: number): Promise<ClassificationRecord[]>;
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
  /** The record itself, in the contract's JSON. */
  record: Record<string, unknown>;
}

/**
 * The fields that lists are asked by, each combination with an index of its own, in the order of the list: what a list reads is what it
 * answers, however many records match only one of its filters. Of a status, a reason and a route at most one is asked for: a reason and
 * a route say the status.
 */
const listFields = getCombinations<keyof ClassificationDocument>(
  [[], ["tokenId"], ["projectId"]],
  [[], ["externalId"]],
  [[], ["status"], ["reason"], ["routeId"]],
);

/** A record has keys only in the indexes whose fields it has; a query says the same conditions. */
const given = {
  projectId: { $gt: "" },
  externalId: { $gt: "" },
  reason: { $gt: ReasonCode.UNSPECIFIED },
  routeId: { $gt: "" },
} as const;

/** As many projects are looked for by one query: each is a scan of its own, and there is a most for them. */
const projectsAtOnce = 40;

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
      Object.entries(given).filter(([field]) => fields.some((each) => each === field)),
    );
    const key = Object.fromEntries(["classifierId", ...fields, "_id"].map((field) => [field, 1 as const]));
    schema.index(key, Object.keys(present).length === 0 ? {} : { partialFilterExpression: present });
  }
  schema.index({ "placement.dueAt": 1 }, { sparse: true });
  return storage.connection.model<ClassificationDocument>("Classification", schema, "classifications");
}

/** The conditions of which a record meets one when it is visible. */
function getBranches({ tokenId, projectIds }: NonNullable<ClassificationQuery["visibleTo"]>): object[] {
  const chunks = splitChunks(projectIds, projectsAtOnce);
  return [{ tokenId }, ...chunks.map((some) => ({ projectId: trusted({ $in: some, ...given.projectId }) }))];
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
  // The count is in the classifier's document, which all of its records change.
  const insert = storage.batchWrites<ClassificationDocument>(async (classifierId, documents, session) => {
    const counted = { $inc: { classificationCount: documents.length } };
    const { matchedCount } = await classifiers.updateOne({ _id: classifierId }, counted, { session });
    if (matchedCount === 0) return false;
    await records.insertMany(documents, { session });
    return true;
  });

  async function placementsDue(when: { $lt: Date } | { $gt: Date }, limit: number): Promise<ClassificationRecord[]> {
    const found = await records
      .find({ "placement.dueAt": trusted(when) })
      .sort({ "placement.dueAt": 1 })
      .limit(limit)
      .lean();
    return found.map(toRecord);
  }

  return {
    async insert({ classification, organizationId, tokenId, placement }, answer) {
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
      return insert(classification.classifierId, document, answer);
    },

    async find(classificationId) {
      const document = await records.findById(classificationId).lean();
      return document === null ? undefined : toRecord(document);
    },

    async list({ classifierId, organizationId, status, reason, routeId, externalId, visibleTo, limit, before }) {
      const classified = status === ClassificationStatus.CLASSIFIED;
      // Records have a route when they are classified, else a reason.
      if (reason !== undefined && (classified || routeId !== undefined)) return [];
      if (routeId !== undefined && status !== undefined && !classified) return [];
      const filters = {
        ...(externalId === undefined ? {} : { externalId: trusted({ $eq: externalId, ...given.externalId }) }),
        ...(reason === undefined ? {} : { reason: trusted({ $eq: reason, ...given.reason }) }),
        ...(routeId === undefined ? {} : { routeId: trusted({ $eq: routeId, ...given.routeId }) }),
        ...(status === undefined || reason !== undefined || routeId !== undefined ? {} : { status }),
        ...(before === undefined ? {} : { _id: trusted({ $lt: before }) }),
      };
      const documents = await readBranches(
        visibleTo === undefined ? [{}] : getBranches(visibleTo),
        (branch) =>
          records
            .find({ classifierId, ...branch, ...filters })
            .sort({ _id: -1 })
            .limit(limit)
            .lean<ClassificationDocument[]>(),
        (left, right) => (left._id < right._id ? 1 : -1),
        limit,
      );
      // All of a classifier are of its organization; the classifier may be gone, and then nothing else says which that is.
      return documents.filter((each) => each.organizationId === organizationId).map(toRecord);
    },

    async placed(classificationId) {
      // If this is lost, the sweep finds that all is done.
      await records.updateOne({ _id: classificationId }, { $unset: { placement: 1 } }, { writeConcern: { w: 1 } });
    },

    async putOff(classificationId, until) {
      await records.updateOne({ _id: classificationId }, { $set: { "placement.dueAt": until } });
    },

    due: (now, limit) => placementsDue({ $lt: now }, limit),

    dueAfter: (time, limit) => placementsDue({ $gt: time }, limit),
  };
}
