import { toBytes, removeInBatches } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import type { Review } from "../../domain/review/review.ts";
import { toPosition } from "../position.ts";
import type { Transaction } from "../transaction.ts";
import { reviewField } from "./review-field.ts";

/** Whether people have looked at the values of a file. */
export type ValuesStatus = "ACCEPTED" | "NEEDS_REVIEW" | "UNREVIEWED";

/** The current values of a file for a model: the accepted ones, or those of the last completed extraction. */
export interface CurrentValues {
  fileId: string;
  modelId: string;
  projectId: string;
  filename: string;
  /** The time at which the file was stored. */
  fileCreatedAt: Date;
  accepted: boolean;
  /** The last completed extraction; null if there is none. */
  extraction: { id: string; createdAt: Date; review: Review | null } | null;
  /** The values, as serialized by `encodeTables`, without evidence. */
  tables: Uint8Array;
}

/** An extraction on the review list, with its position there. */
export interface ListedReview {
  extractionId: string;
  fileId: string;
  modelId: string;
  filename: string;
  createdAt: Date;
  review: Review;
  position: string;
}

/** A query for the values of a model, the newest file first. */
export interface ValuesQuery {
  modelId: string;
  status?: ValuesStatus | undefined;
  /** The file's time is not before `from`, and before `to`. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** The position of the first file, or the one after which to begin. */
  start?: { position: string; inclusive: boolean } | undefined;
}

/** Values with their position in lists. */
export type PlacedValues = CurrentValues & { position: string };

/** Stores the current values of files: one document for each file and model, so that lists read nothing else. */
export interface CurrentValuesStore {
  put(values: readonly CurrentValues[], session: Transaction): Promise<void>;
  remove(fileId: string, modelId: string, session: Transaction): Promise<void>;
  /** Removes the values of a file for all models, within the transaction that removes the file. */
  removeFile(fileId: string, session: Transaction): Promise<void>;
  /** Removes the values of a project whose files are deleted. */
  removeProject(projectId: string): Promise<void>;
  /** Reads the values of at most `count` files, or fewer if they are large. `more` is false if there are certainly no others. */
  read(query: ValuesQuery, count: number): Promise<{ found: PlacedValues[]; more: boolean }>;
  /** Lists the files that have values for a model, the newest first. */
  listFileIds(modelId: string, limit: number): Promise<string[]>;
  /** Lists extractions that need review, the most urgent first, and the newest first among equals. */
  listReviews(query: { projectId: string; limit: number; after?: string | undefined }): Promise<ListedReview[]>;
  /** Removes the extractions of a deleted model from the review list. */
  dismissModel(modelId: string): Promise<void>;
}

interface ValuesDocument extends Omit<PlacedValues, "tables"> {
  _id: string;
  status: ValuesStatus;
  /** The position on the review list. Absent if the values are not on it. */
  reviewPosition?: string;
  tables: Buffer;
}

/** The condition of the index of the review list, which queries repeat. */
const needsReview = { $gt: "" } as const;

/** The size of values after which a read ends, in bytes. */
const maxBytes = 4 * 1024 * 1024;

/** Creates the store of current values. */
export function createCurrentValuesStore(connection: Connection): CurrentValuesStore {
  const current = connection.model<ValuesDocument>("CurrentValues", valuesSchema(), "current_values");
  return {
    async put(values, session) {
      const documents = values.map(toDocument);
      const puts = documents.map((replacement) => ({
        replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
      }));
      await current.bulkWrite(puts, { session, skipValidation: true });
    },

    async remove(fileId, modelId, session) {
      await current.deleteOne({ _id: key(fileId, modelId) }, { session });
    },

    async removeFile(fileId, session) {
      await current.deleteMany({ fileId }, { session });
    },

    async removeProject(projectId) {
      await removeInBatches(current, { projectId });
    },

    async read({ modelId, status, from, to, start }, count) {
      // A start is a position that the same query returned, so it is before `to`.
      const end =
        start !== undefined
          ? { [start.inclusive ? "$lte" : "$lt"]: start.position }
          : to === undefined
            ? {}
            : { $lt: toPosition(to, "") };
      const range = { ...(from === undefined ? {} : { $gte: toPosition(from, "") }), ...end };
      const cursor = current
        .find({
          modelId,
          ...(status === undefined ? {} : { status }),
          ...(Object.keys(range).length === 0 ? {} : { position: mongoose.trusted(range) }),
        })
        .sort({ position: -1 })
        .limit(count)
        .lean<ValuesDocument>()
        .cursor();
      const found: PlacedValues[] = [];
      let bytes = 0;
      for await (const document of cursor) {
        const values = { ...document, tables: toBytes(document.tables) };
        found.push(values);
        bytes += values.tables.length;
        if (bytes >= maxBytes) break;
      }
      await cursor.close();
      return { found, more: found.length === count || bytes >= maxBytes };
    },

    async listFileIds(modelId, limit) {
      const cursor = current
        .find({ modelId }, { fileId: 1, _id: 0 })
        .sort({ position: -1 })
        .limit(limit)
        .lean<Pick<ValuesDocument, "fileId">>()
        .cursor({ batchSize: 1_000 });
      const fileIds: string[] = [];
      for await (const { fileId } of cursor) fileIds.push(fileId);
      return fileIds;
    },

    async listReviews({ projectId, limit, after }) {
      const bound = after === undefined ? {} : { $lt: after };
      const found = await current
        .find({ projectId, reviewPosition: mongoose.trusted({ ...needsReview, ...bound }) }, { tables: 0 })
        .sort({ reviewPosition: -1 })
        .limit(limit)
        .lean();
      return found.flatMap(({ extraction, fileId, modelId, filename, reviewPosition = "" }) =>
        extraction?.review == null
          ? []
          : [
              {
                extractionId: extraction.id,
                fileId,
                modelId,
                filename,
                createdAt: extraction.createdAt,
                review: extraction.review,
                position: reviewPosition,
              },
            ],
      );
    },

    async dismissModel(modelId) {
      const listed = { modelId, reviewPosition: mongoose.trusted({ ...needsReview }) };
      await current.updateMany(listed, { $unset: { reviewPosition: 1 } });
    },
  };
}

function toDocument(values: CurrentValues): ValuesDocument {
  const { fileId, modelId, fileCreatedAt, accepted, extraction, tables } = values;
  const review = accepted ? null : (extraction?.review ?? null);
  return {
    ...values,
    _id: key(fileId, modelId),
    position: toPosition(fileCreatedAt, fileId),
    status: accepted ? "ACCEPTED" : review === null ? "UNREVIEWED" : "NEEDS_REVIEW",
    ...(review === null || extraction === null
      ? {}
      : { reviewPosition: toReviewPosition(review, extraction.createdAt, extraction.id) }),
    tables: Buffer.from(tables),
  };
}

/** Returns the position on the review list: by urgency in parts of a million, then by time. Greater positions come first. */
function toReviewPosition({ urgency }: Review, createdAt: Date, extractionId: string): string {
  return `${String(Math.round(urgency * 1e6)).padStart(7, "0")}~${toPosition(createdAt, extractionId)}`;
}

function valuesSchema(): mongoose.Schema<ValuesDocument> {
  const schema = new mongoose.Schema<ValuesDocument>(
    {
      _id: { type: String, required: true },
      fileId: { type: String, required: true },
      modelId: { type: String, required: true },
      projectId: { type: String, required: true },
      filename: { type: String, required: true },
      fileCreatedAt: { type: Date, required: true },
      position: { type: String, required: true },
      accepted: { type: Boolean, required: true },
      status: { type: String, required: true },
      extraction: {
        type: new mongoose.Schema({ id: String, createdAt: Date, review: reviewField() }, { _id: false, id: false }),
        default: null,
      },
      reviewPosition: String,
      tables: { type: Buffer, required: true },
    },
    { versionKey: false },
  );
  schema.index({ modelId: 1, position: -1 });
  schema.index({ modelId: 1, status: 1, position: -1 });
  schema.index(
    { projectId: 1, reviewPosition: -1 },
    { name: "review", partialFilterExpression: { reviewPosition: needsReview } },
  );
  schema.index({ projectId: 1 });
  schema.index({ fileId: 1 });
  return schema;
}

/** Joins ids to a key. Ids contain no spaces. */
function key(fileId: string, modelId: string): string {
  return `${fileId} ${modelId}`;
}
