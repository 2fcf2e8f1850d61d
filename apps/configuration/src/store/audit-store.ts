import { isDuplicateKey, readBranches } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { mongo, trusted } from "mongoose";
import type { ClientSession, Model } from "mongoose";
import { auditModel } from "./audit-documents.ts";
import type { AuditDocument } from "./audit-documents.ts";

/** A filter of entries. An undefined field matches everything. */
export interface AuditFilter {
  readonly organizationId: string;
  readonly action: string | undefined;
  /** The id of a token or of a user. */
  readonly actorId: string | undefined;
  readonly targetId: string | undefined;
  /** The inclusive start. */
  readonly from: Date | undefined;
  /** The exclusive end. */
  readonly to: Date | undefined;
}

/** The audit trail. Entries can only be added and read. */
export interface AuditStore {
  /** Adds an entry that belongs to no write, for example a refusal. A change adds its entry in its own transaction. */
  append(entry: AuditDocument): Promise<void>;
  /** Adds entries of another service. Entries whose ids exist are left unchanged. */
  appendOnce(sent: readonly AuditDocument[]): Promise<void>;
  /** Finds at most `limit` entries that match, newest first and by id within a millisecond, after the entry with the id `before`. */
  list(filter: AuditFilter, page: { limit: number; before: string | undefined }): Promise<AuditDocument[]>;
}

/** Creates the audit trail in a service's database. */
export function createAuditStore({ connection }: Storage): AuditStore {
  const entries = auditModel(connection);
  return {
    append: (entry) => appendEntry(entries, entry),
    async appendOnce(sent) {
      try {
        await entries.insertMany([...sent], { ordered: false });
      } catch (error) {
        // Only duplicate keys are expected, and the id is the only unique key.
        if (!isDuplicateKey(error) || !getErrors(error).every((violation) => isDuplicateKey(violation))) throw error;
      }
    },
    async list({ organizationId, action, actorId, targetId, from, to }, page) {
      const { limit } = page;
      const before = page.before && (await entries.findOne({ _id: page.before }).lean<AuditDocument>());
      const actors = actorId === undefined ? [{}] : [{ tokenId: actorId }, { userId: actorId }];
      const moments = { ...(from && { $gte: from }), ...(to && { $lt: to }), ...(before && { $lte: before.at }) };
      const conditions = {
        organizationId,
        ...(action === undefined ? {} : { action }),
        ...(targetId === undefined ? {} : { targetId }),
        ...(Object.keys(moments).length === 0 ? {} : { at: trusted(moments) }),
        // Continues within the millisecond in which the previous page ended.
        ...(before && { $or: [{ at: trusted({ $lt: before.at }) }, { _id: trusted({ $lt: before._id }) }] }),
      };
      return readBranches(
        actors,
        (actor) =>
          entries
            .find({ ...conditions, ...actor })
            .sort({ at: -1, _id: -1 })
            .limit(limit)
            .lean<AuditDocument[]>(),
        (left, right) => right.at.getTime() - left.at.getTime() || (left._id < right._id ? 1 : -1),
        limit,
      );
    },
  };
}

/** Adds an entry, in a transaction if there is a session. */
export async function appendEntry(
  entries: Model<AuditDocument>,
  entry: AuditDocument,
  session?: ClientSession,
): Promise<void> {
  await entries.create([entry], session === undefined ? {} : { session });
}

function getErrors(error: unknown): readonly unknown[] {
  return error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
}
