import type { DocumentCache } from "@switchyard/storage";
import type { Connection } from "mongoose";
import mongoose from "mongoose";
import type { ReviewThresholds } from "../../domain/review/thresholds.ts";
import type { Transaction } from "../transaction.ts";

/** The thresholds of a model's review policy. */
export interface ReviewThresholdRecord extends ReviewThresholds {
  /** The ID of the model. */
  _id: string;
  projectId: string;
  /** The number of times that the thresholds changed. */
  version: number;
  /** Whether the reviews of the model's extractions do not follow this version yet. */
  pending: boolean;
  /** Whether accepted values of the model have changed since this was last acknowledged. */
  changed: boolean;
}

/** Stores the thresholds of review policies. */
export interface ReviewThresholdStore {
  /** Finds the thresholds of a model; null if it never had any. */
  find(modelId: string): Promise<Readonly<ReviewThresholds> | null>;
  /** Sets the thresholds of a model. Returns whether they changed. Without any, none are stored for a model that never had any. */
  set(
    model: { modelId: string; projectId: string },
    thresholds: ReviewThresholds,
    session: Transaction,
  ): Promise<boolean>;
  /** Lists models whose reviews do not follow their thresholds yet. */
  listPending(limit: number): Promise<ReviewThresholdRecord[]>;
  /** Notes that the reviews of a model follow a version of its thresholds. */
  settle(record: Pick<ReviewThresholdRecord, "_id" | "version">): Promise<void>;
  /** Notes that accepted values of a model changed, in the transaction of the change. */
  markChanged(modelId: string, session: Transaction): Promise<void>;
  listChanged(limit: number): Promise<string[]>;
  acknowledge(modelIds: readonly string[]): Promise<void>;
  removeProject(projectId: string): Promise<void>;
}

/** Creates the store of thresholds. Every extraction reads those of its model, which `cache` keeps until any are changed. */
export function createReviewThresholdStore(connection: Connection, cache: DocumentCache): ReviewThresholdStore {
  const thresholds = connection.model<ReviewThresholdRecord>(
    "ReviewThresholds",
    thresholdSchema(),
    "review_thresholds",
  );
  const forget = (): void => void cache.clear();
  return {
    async find(modelId) {
      const [found] = await cache.find("review_thresholds", [modelId], (ids) =>
        thresholds.find({ _id: mongoose.trusted({ $in: [...ids] }) }, { text: 1, ocr: 1 }).lean(),
      );
      return found ?? null;
    },

    async set({ modelId, projectId }, { text, ocr }, session) {
      const before = await thresholds.findById(modelId, null, { session }).lean();
      if (before !== null && before.text === text && before.ocr === ocr) return false;
      const record = {
        _id: modelId,
        projectId,
        text,
        ocr,
        version: (before?.version ?? 0) + 1,
        // A model that has no thresholds yet is as without a policy.
        pending: before !== null || text !== null || ocr !== null,
        changed: before?.changed ?? false,
      };
      await thresholds.replaceOne({ _id: modelId }, record, { session, upsert: true });
      if (!session.listeners("ended").includes(forget)) session.once("ended", forget);
      return true;
    },

    listPending: (limit) => thresholds.find({ pending: true }).limit(limit).lean(),

    async settle({ _id, version }) {
      await thresholds.updateOne({ _id, version }, { $set: { pending: false } });
    },

    async markChanged(modelId, session) {
      // Only the first change writes, so that calls at the same time do not conflict.
      await thresholds.updateOne({ _id: modelId, changed: false }, { $set: { changed: true } }, { session });
    },

    async listChanged(limit) {
      return (await thresholds.find({ changed: true }, { _id: 1 }).limit(limit).lean()).map(({ _id }) => _id);
    },

    async acknowledge(modelIds) {
      await thresholds.updateMany({ _id: mongoose.trusted({ $in: [...modelIds] }) }, { $set: { changed: false } });
    },

    async removeProject(projectId) {
      await thresholds.deleteMany({ projectId });
      await cache.clear();
    },
  };
}

function thresholdSchema(): mongoose.Schema<ReviewThresholdRecord> {
  const schema = new mongoose.Schema<ReviewThresholdRecord>(
    {
      _id: { type: String, required: true },
      projectId: { type: String, required: true },
      text: { type: Number, default: null },
      ocr: { type: Number, default: null },
      version: { type: Number, required: true },
      pending: { type: Boolean, required: true },
      changed: { type: Boolean, required: true },
    },
    { versionKey: false },
  );
  schema.index({ projectId: 1 });
  schema.index({ pending: 1 }, { partialFilterExpression: { pending: true } });
  schema.index({ changed: 1 }, { partialFilterExpression: { changed: true } });
  return schema;
}
