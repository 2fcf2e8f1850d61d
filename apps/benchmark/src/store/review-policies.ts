import type { AuditOutbox, DeletedProjects, NotedChange } from "@switchyard/change-feed";
import { notFound } from "@switchyard/rpc";
import type { Storage } from "@switchyard/storage";
import mongoose from "mongoose";

/** The review policy of a model. */
export interface ReviewPolicyRecord {
  /** The ID of the model. */
  _id: string;
  organizationId: string;
  projectId: string;
  error: number;
  confidence: number;
  updatedAt: Date;
  /** Whether it was deleted, and its thresholds may still apply. */
  deleted: boolean;
  /** The time from which on it is to be computed again; null if it is up to date. */
  dueAt: Date | null;
  /** The number of times that it became due, so that no change is lost that comes while it is computed. */
  changes: number;
  /** What it lets go unseen, as a serialized Risk, with the schema that it was computed with; null if it was never computed. */
  computed: { risk: Buffer; schemaId: string; at: Date } | null;
}

/** What is set by a call. */
export type NewPolicy = Pick<
  ReviewPolicyRecord,
  "_id" | "organizationId" | "projectId" | "error" | "confidence" | "updatedAt"
>;

/** Stores the review policies of models. */
export interface ReviewPolicyStore {
  find(modelId: string): Promise<ReviewPolicyRecord | null>;
  /** Sets a policy, with its audit entry. One that does not change is left as it is. `toNote` gets the policy before. */
  set(policy: NewPolicy, toNote: (before: ReviewPolicyRecord | null) => NotedChange): Promise<ReviewPolicyRecord>;
  /** Marks a policy as deleted. Returns false if there is none. */
  remove(modelId: string, note: NotedChange): Promise<boolean>;
  /** Lists policies, by the IDs of their models, after one of them. */
  list(after: string, limit: number): Promise<ReviewPolicyRecord[]>;
  /** Makes policies due, if there are any of these models. */
  touch(modelIds: readonly string[], now: Date): Promise<void>;
  /** Lists policies that are due, the longest due first. */
  listDue(now: Date, limit: number): Promise<ReviewPolicyRecord[]>;
  /** Keeps what was computed. The policy remains due if it has changed in the meantime. */
  complete(policy: ReviewPolicyRecord, computed: { risk: Uint8Array; schemaId: string; at: Date }): Promise<void>;
  /** Postpones a policy that could not be computed. */
  postpone(policy: ReviewPolicyRecord, until: Date): Promise<void>;
  /** Removes a policy whose thresholds no longer apply, unless it has changed in the meantime. */
  forget(policy: ReviewPolicyRecord): Promise<void>;
  removeProject(projectId: string): Promise<void>;
}

/** Creates the store of review policies. */
export function createReviewPolicyStore(
  { connection, atomically }: Pick<Storage, "connection" | "atomically">,
  deletedProjects: Pick<DeletedProjects, "has">,
  outbox: Pick<AuditOutbox, "note">,
): ReviewPolicyStore {
  const policies = connection.model<ReviewPolicyRecord>("ReviewPolicy", createPolicySchema(), "review_policies");
  const unchanged = ({ _id, changes }: ReviewPolicyRecord) => ({ _id, changes });
  return {
    async find(modelId) {
      const found = await policies.findById(modelId).lean();
      return found === null || found.deleted ? null : found;
    },

    async set(policy, toNote) {
      return atomically(async (session) => {
        if (await deletedProjects.has(policy.projectId, session)) {
          throw notFound("project", policy.projectId, "deploymentId");
        }
        const stored = await policies.findById(policy._id, null, { session }).lean();
        const before = stored?.deleted === true ? null : stored;
        if (before?.error === policy.error && before.confidence === policy.confidence) return before;
        const record: ReviewPolicyRecord = {
          ...policy,
          deleted: false,
          dueAt: policy.updatedAt,
          changes: (stored?.changes ?? 0) + 1,
          // What was computed for other values says nothing about these.
          computed: null,
        };
        await policies.replaceOne({ _id: policy._id }, record, { session, upsert: true });
        await outbox.note(toNote(before), session);
        return record;
      });
    },

    async remove(modelId, note) {
      return atomically(async (session) => {
        const change = { $set: { deleted: true, dueAt: note.at }, $inc: { changes: 1 } };
        const removed = await policies.updateOne({ _id: modelId, deleted: false }, change, { session });
        if (removed.matchedCount === 0) return false;
        await outbox.note(note, session);
        return true;
      });
    },

    list(after, limit) {
      return policies
        .find({ _id: mongoose.trusted({ $gt: after }) })
        .sort({ _id: 1 })
        .limit(limit)
        .lean();
    },

    async touch(modelIds, now) {
      if (modelIds.length === 0) return;
      const change = { $set: { dueAt: now }, $inc: { changes: 1 } };
      await policies.updateMany({ _id: mongoose.trusted({ $in: [...modelIds] }) }, change);
    },

    listDue(now, limit) {
      return policies
        .find({ dueAt: mongoose.trusted({ $lte: now }) })
        .sort({ dueAt: 1 })
        .limit(limit)
        .lean();
    },

    async complete(policy, { risk, schemaId, at }) {
      const computed = { risk: Buffer.from(risk), schemaId, at };
      await policies.updateOne(unchanged(policy), { $set: { computed, dueAt: null } });
    },

    async postpone(policy, until) {
      await policies.updateOne(unchanged(policy), { $set: { dueAt: until } });
    },

    async forget(policy) {
      await policies.deleteOne(unchanged(policy));
    },

    async removeProject(projectId) {
      await policies.deleteMany({ projectId });
    },
  };
}

function createPolicySchema(): mongoose.Schema<ReviewPolicyRecord> {
  const computed = new mongoose.Schema({ risk: Buffer, schemaId: String, at: Date }, { _id: false });
  const schema = new mongoose.Schema<ReviewPolicyRecord>(
    {
      _id: { type: String, required: true },
      organizationId: { type: String, required: true },
      projectId: { type: String, required: true },
      error: { type: Number, required: true },
      confidence: { type: Number, required: true },
      updatedAt: { type: Date, required: true },
      deleted: { type: Boolean, required: true },
      dueAt: { type: Date, default: null },
      changes: { type: Number, required: true },
      computed: { type: computed, default: null },
    },
    { versionKey: false },
  );
  schema.index({ dueAt: 1 });
  schema.index({ projectId: 1 });
  return schema;
}
