import { toJson } from "@bufbuild/protobuf";
import type { Message } from "@bufbuild/protobuf";
import type { ReasonCode } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ClassificationStatus } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { WarningSchema } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import type { Warning } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getFirstId, getIdTime, readBranches, splitChunks, toStatusName } from "@switchyard/storage";
import type { Storage, StoredEvent } from "@switchyard/storage";
import { trusted } from "mongoose";
import type { Model } from "mongoose";
import { idPrefix, isPresent, toDocument, toRecord } from "./classification-document.ts";
import type { ClassificationDocument, ClassificationRecord, ReviewedTarget } from "./classification-document.ts";
import type { ClassifierModels } from "./classifier-document.ts";

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

/** Selects records whose document belongs to a project. */
export interface ProjectClassificationQuery {
  projectId: string;
  status?: ClassificationStatus;
  reason?: ReasonCode;
  classifierId?: string;
  /** Only records from this time on, and from before `to`. */
  from: Date | undefined;
  to: Date | undefined;
  limit: number;
  /** Only records older than the one with this ID, which is from before `to`. */
  before?: string;
}

/** Stores classification records. */
export interface ClassificationStore {
  /**
   * Stores records of one classifier and counts them in one transaction. `toResponse` returns the response of the call, which is stored
   * with its idempotency key even if there are no records. Returns false if the classifier was deleted.
   */
  insert(records: readonly ClassificationRecord[], toResponse: () => Message): Promise<boolean>;
  find(classificationId: string): Promise<ClassificationRecord | undefined>;
  /** Finds the records with these IDs, in any order. */
  findAll(classificationIds: readonly string[]): Promise<ClassificationRecord[]>;
  /** Lists records, newest first. */
  list(query: ClassificationQuery): Promise<ClassificationRecord[]>;
  /** Lists records of all classifiers, newest first. */
  listOfProject(query: ProjectClassificationQuery): Promise<ClassificationRecord[]>;
  /** Lists the records of a project from a time on, the oldest first, with their results. */
  listCreated(projectId: string, from: Date, limit: number): Promise<StoredEvent[]>;
  /** Marks the placements of records as done: their own ones, or that of a review. Other placements, which came later, remain. */
  markPlaced(classificationIds: readonly string[], review?: ReviewedTarget): Promise<void>;
  /** Marks the placement of a record as done, like `markPlaced`, and stores the warnings that the record has since. */
  markPlacedWith(classificationId: string, warnings: readonly Warning[], review?: ReviewedTarget): Promise<void>;
  /** Postpones the placement of a record, if it has one. */
  postpone(classificationId: string, until: Date): Promise<void>;
  /** Lists records whose placement is due, the earliest first. */
  listDue(now: Date, limit: number): Promise<ClassificationRecord[]>;
  /** Lists records whose placement is due after a time, the earliest first. */
  listDueAfter(time: Date, limit: number): Promise<ClassificationRecord[]>;
}

/** The number of projects in one query. Each is a scan of its own, and their number is limited. */
const maxProjectsPerQuery = 40;

/** Returns the condition for a record whose placement is that of a review, or its own if there is none. */
function ofReview(review: ReviewedTarget | undefined): object {
  return review === undefined
    ? { "placement.review": null }
    : { "placement.review.fileId": review.fileId, "placement.review.extractionId": review.extractionId };
}

/** Returns the conditions for visible records. A record is visible if it meets one of them. */
function toBranches({ tokenId, projectIds }: NonNullable<ClassificationQuery["visibleTo"]>): object[] {
  const chunks = splitChunks(projectIds, maxProjectsPerQuery);
  return [{ tokenId }, ...chunks.map((some) => ({ projectId: trusted({ $in: some, ...isPresent.projectId }) }))];
}

/** Creates the store of classification records. */
export function createClassificationStore(
  storage: Storage,
  { classifiers }: Pick<ClassifierModels, "classifiers">,
  records: Model<ClassificationDocument>,
): ClassificationStore {
  // All records of a classifier change its document, which contains the count, so they are written in batches.
  const insert = storage.batchWrites<readonly ClassificationDocument[]>(async (classifierId, batch, session) => {
    const documents = batch.flat();
    const counts: Record<string, number> = { classificationCount: documents.length };
    for (const { routeId } of documents)
      if (routeId != null) counts[`wins.${routeId}`] = (counts[`wins.${routeId}`] ?? 0) + 1;
    const increment = { $inc: counts };
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
    async insert(inserted, toResponse) {
      const [first] = inserted;
      if (first === undefined) return storage.withKey(() => Promise.resolve(true), toResponse);
      return insert(first.classification.classifierId, inserted.map(toDocument), toResponse);
    },

    async find(classificationId) {
      const document = await records.findById(classificationId).lean();
      return document === null ? undefined : toRecord(document);
    },

    async findAll(classificationIds) {
      return (await records.find({ _id: trusted({ $in: [...classificationIds] }) }).lean()).map(toRecord);
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

    async listOfProject({ projectId, status, reason, classifierId, from, to, limit, before }) {
      if (reason !== undefined && status === ClassificationStatus.CLASSIFIED) return [];
      // The time of a record is that of its ID.
      const end = before ?? (to && getFirstId(idPrefix, to));
      const range = {
        ...(from === undefined ? {} : { $gte: getFirstId(idPrefix, from) }),
        ...(end === undefined ? {} : { $lt: end }),
      };
      const found = await records
        .find({
          projectId: trusted({ $eq: projectId, ...isPresent.projectId }),
          ...(classifierId === undefined ? {} : { classifierId }),
          ...(reason === undefined ? {} : { reason: trusted({ $eq: reason, ...isPresent.reason }) }),
          ...(status === undefined || reason !== undefined ? {} : { status }),
          ...(Object.keys(range).length === 0 ? {} : { _id: trusted(range) }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .lean<ClassificationDocument[]>();
      return found.map(toRecord);
    },

    async listCreated(projectId, from, limit) {
      const found = await records
        .find(
          {
            projectId: trusted({ $eq: projectId, ...isPresent.projectId }),
            _id: trusted({ $gte: getFirstId(idPrefix, from) }),
          },
          { status: 1 },
        )
        .sort({ _id: 1 })
        .limit(limit)
        .lean<ClassificationDocument[]>();
      return found.map(({ _id, status }) => {
        return { id: _id, status: toStatusName(ClassificationStatus, status), at: getIdTime(_id) };
      });
    },

    async markPlaced(classificationIds, review) {
      // If this write is lost, the sweep repeats the placements, which then have no effect.
      const marked = { _id: trusted({ $in: [...classificationIds] }), ...ofReview(review) };
      await records.updateMany(marked, { $unset: { placement: 1 } }, { writeConcern: { w: 1 } });
    },

    async markPlacedWith(classificationId, warnings, review) {
      const $set = { "record.warnings": warnings.map((each) => toJson(WarningSchema, each)) };
      const marked = { _id: classificationId, ...ofReview(review) };
      const { matchedCount } = await records.updateOne(marked, { $set, $unset: { placement: 1 } });
      // Nearly always it is still the placement that was made.
      if (matchedCount === 0) await records.updateOne({ _id: classificationId }, { $set });
    },

    async postpone(classificationId, until) {
      const placed = { _id: classificationId, "placement.dueAt": trusted({ $gt: new Date(0) }) };
      await records.updateOne(placed, { $set: { "placement.dueAt": until } });
    },

    listDue: (now, limit) => findDue({ $lt: now }, limit),

    listDueAfter: (time, limit) => findDue({ $gt: time }, limit),
  };
}
