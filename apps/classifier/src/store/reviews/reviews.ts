import { toJson } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { AuditOutbox, NotedChange } from "@switchyard/change-feed";
import { ClassificationSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import type { Classification, ClassificationReview } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { maxIdsPerLoad, readBranches, splitChunks, updateInBatches } from "@switchyard/storage";
import type { Storage, StoredEvent } from "@switchyard/storage";
import { isDeepStrictEqual } from "node:util";
import { trusted } from "mongoose";
import type { Model } from "mongoose";
import { isListed, isReviewed, toRecord } from "../classification-document.ts";
import type { ClassificationDocument, ClassificationRecord, Placement } from "../classification-document.ts";
import type { ClassifierModels } from "../classifier-document.ts";
import type { FileInProject } from "../../domain/review/reviewed-file.ts";
import type { ReviewedDocument, ReviewedDocumentStore } from "./reviewed-documents.ts";

/** The review of a record, and what follows from it. */
export interface Review {
  review: ClassificationReview;
  /** The extraction by the target of the chosen route; the record keeps its own if it is undefined. */
  extraction: Classification["extraction"];
  /** The placement of the file in the project of the chosen route. Undefined if there is nothing to do. */
  placement: Placement | undefined;
  placedFiles: readonly FileInProject[];
  /** The project that the file belongs to after the review; null if there is none. */
  projectId: string | null;
  /** What the classifier learns from the review. */
  learned: ReviewedDocument;
}

/** The call that changes a review. Its response and its audit entry are committed with the change. */
export interface ReviewCall {
  toResponse: (record: ClassificationRecord) => Classification | undefined;
  /** Returns the audit entry, given the review before the change. */
  note: (before: ClassificationReview | undefined) => NotedChange;
}

/** The position of a record in the review list. */
export interface ReviewPosition {
  rank: number;
  id: string;
}

/** Selects records that somebody should look at. */
export interface ReviewQuery {
  projectId: string;
  /** The classifiers whose records without a project are listed, too. */
  classifierIds: readonly string[];
  /** Of records without a project, only those that were made with this token; all if it is undefined. */
  tokenId: string | undefined;
  after: ReviewPosition | undefined;
  limit: number;
}

/** Stores the reviews of records. */
export interface ReviewStore {
  /** Notes that a review is about to read the files of a record, so that it learns nothing from files that are deleted meanwhile. */
  begin(read: ClassificationRecord): Promise<void>;
  /**
   * Stores a review, in place of an earlier one. Returns the record; undefined if it does not exist, and "changed", without an effect, if
   * another review of it was made or taken back since it was read, or a file of it or its classifier deleted, because what follows from this one
   * may then be different. `begin` was called before.
   */
  set(
    read: ClassificationRecord,
    review: Review,
    call: ReviewCall,
  ): Promise<ClassificationRecord | "changed" | undefined>;
  /** Removes the review of a record, and what is learned from it. Returns false if there is none. */
  remove(recordId: string, at: Date, call: ReviewCall): Promise<boolean>;
  /** Lists the reviews of a project that were made or taken back from a time on, the first one first. Of each record, the last change. */
  listChanged(projectId: string, from: Date, limit: number): Promise<StoredEvent[]>;
  /** Lists records that somebody should look at, the most useful first. */
  listNeeded(query: ReviewQuery): Promise<ClassificationRecord[]>;
  /** Removes the records of a deleted classifier from the list. */
  dismissClassifier(classifierId: string): Promise<void>;
  /** Removes what was learned from deleted files, and their records from the list. */
  forgetFiles(fileIds: readonly string[]): Promise<void>;
}

/** The number of classifiers in one query. Each is a scan of its own, and their number is limited. */
const maxClassifiersPerQuery = 40;

/** Creates the store of reviews. */
export function createReviewStore(
  storage: Storage,
  { classifiers }: Pick<ClassifierModels, "classifiers">,
  records: Model<ClassificationDocument>,
  documents: ReviewedDocumentStore,
  outbox: Pick<AuditOutbox, "note">,
): ReviewStore {
  return {
    async begin({ classification: { id, fileId }, placedFiles = [] }) {
      const reviewing = [fileId, ...placedFiles.map((placed) => placed.fileId)];
      await records.updateOne({ _id: id }, { $set: { reviewing } });
    },

    async set(read, { review, extraction, placement, placedFiles, projectId, learned }, call) {
      const recordId = read.classification.id;
      return storage.atomically<ClassificationRecord | "changed" | undefined>(
        async (session) => {
          const found = await records.findById(recordId, null, { session }).lean();
          if (found === null) return undefined;
          const record = toRecord(found);
          if (!isDeepStrictEqual(toReviewed(record), toReviewed(read))) return "changed";
          const classifier = await classifiers.findById(found.classifierId, { _id: 1 }, { session }).lean();
          if (classifier === null) return "changed";
          const { classification } = record;
          const before = classification.review;
          classification.review = review;
          if (extraction !== undefined) classification.extraction = extraction;
          const rank = found.reviewNeed === undefined ? {} : { "reviewNeed.rank": -Math.abs(found.reviewNeed.rank) };
          await records.updateOne(
            { _id: recordId },
            {
              $set: {
                record: toJson(ClassificationSchema, classification),
                placedFiles,
                projectId,
                ...(review.reviewedAt === undefined ? {} : { reviewChangedAt: timestampDate(review.reviewedAt) }),
                ...rank,
                ...(placement === undefined ? {} : { placement }),
              },
              $unset: { reviewing: 1, ...(placement === undefined ? { placement: 1 } : {}) },
            },
            { session },
          );
          await documents.set(learned, session);
          await outbox.note(call.note(before), session);
          return { ...record, placement, placedFiles, projectId };
        },
        (record) => (record === undefined || record === "changed" ? undefined : call.toResponse(record)),
      );
    },

    async remove(recordId, at, call) {
      return storage.atomically(async (session) => {
        const found = await records.findById(recordId, null, { session }).lean();
        if (found === null) return false;
        const { classification } = toRecord(found);
        const before = classification.review;
        if (before === undefined) return false;
        delete classification.review;
        const rank = found.reviewNeed === undefined ? {} : { "reviewNeed.rank": Math.abs(found.reviewNeed.rank) };
        const change = {
          $set: { record: toJson(ClassificationSchema, classification), reviewChangedAt: at, ...rank },
        };
        await records.updateOne({ _id: recordId }, change, { session });
        await documents.remove(recordId, session);
        await outbox.note(call.note(before), session);
        return true;
      });
    },

    async listChanged(projectId, from, limit) {
      const found = await records
        .find(
          { projectId, reviewChangedAt: trusted({ ...isReviewed, $gte: from }) },
          { reviewChangedAt: 1, "record.review": 1 },
        )
        .sort({ reviewChangedAt: 1 })
        .limit(limit)
        .lean<ClassificationDocument[]>();
      return found.map(({ _id, record, reviewChangedAt = from }) => {
        return { id: _id, status: record["review"] == null ? "REMOVED" : "REVIEWED", at: reviewChangedAt };
      });
    },

    async listNeeded({ projectId, classifierIds, tokenId, after, limit }) {
      const chunks = splitChunks(classifierIds, maxClassifiersPerQuery);
      const places = [
        { projectId },
        ...chunks.map((some) => ({
          classifierId: trusted({ $in: some }),
          projectId: null,
          ...(tokenId === undefined ? {} : { tokenId }),
        })),
      ];
      const positions =
        after === undefined
          ? [{ "reviewNeed.rank": trusted({ ...isListed }) }]
          : [
              { "reviewNeed.rank": trusted({ $eq: after.rank, ...isListed }), _id: trusted({ $lt: after.id }) },
              { "reviewNeed.rank": trusted({ $lt: after.rank, ...isListed }) },
            ];
      const branches = places.flatMap((place) => positions.map((position) => ({ ...place, ...position })));
      const found = await readBranches(
        branches,
        (branch) =>
          records.find(branch).sort({ "reviewNeed.rank": -1, _id: -1 }).limit(limit).lean<ClassificationDocument[]>(),
        compareNeed,
        limit,
      );
      return found.map(toRecord);
    },

    async dismissClassifier(classifierId) {
      const listed = { classifierId, "reviewNeed.rank": trusted({ ...isListed }) };
      await updateInBatches(records, listed, { $unset: { reviewNeed: 1 } });
    },

    async forgetFiles(fileIds) {
      const ofFiles = { fileId: trusted({ $in: [...fileIds] }) };
      const unlist = { $unset: { reviewNeed: 1 } };
      // A review that has read one of them is stored before this, and removed after it, or sees it and is not stored.
      await records.updateMany({ reviewing: trusted({ $in: [...fileIds] }) }, { $inc: { deletions: 1 } });
      await storage.atomically(async (session) => {
        const reviewed = await documents.removeFiles(fileIds, session);
        // Reviewed records are not listed, but would be again if their review were taken back.
        for (const some of splitChunks(reviewed, maxIdsPerLoad))
          await records.updateMany({ _id: trusted({ $in: some }), ...ofFiles }, unlist, { session });
      });
      // Afterwards, because reviews may have been taken back until then.
      await records.updateMany({ ...ofFiles, "reviewNeed.rank": trusted({ ...isListed }) }, unlist);
    },
  };
}

/** Returns what reviews change in a record, and deletions of its files. */
function toReviewed(record: ClassificationRecord): unknown {
  const { classification, placedFiles = [], deletions = 0 } = record;
  return [classification.review, classification.extraction?.id, placedFiles, deletions];
}

/** Orders documents of records by the usefulness of a review, and then the newest first. */
function compareNeed(left: ClassificationDocument, right: ClassificationDocument): number {
  return (right.reviewNeed?.rank ?? 0) - (left.reviewNeed?.rank ?? 0) || (left._id < right._id ? 1 : -1);
}
