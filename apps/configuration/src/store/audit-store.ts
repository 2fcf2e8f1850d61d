import { isDuplicateKey, readBranches } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { mongo, trusted } from "mongoose";
import type { ClientSession, Model } from "mongoose";
import { auditModel } from "./audit-documents.ts";
import type { AuditDocument } from "./audit-documents.ts";

/** Which entries are wanted; undefined where anything will do. */
export interface AuditFilter {
  readonly organizationId: string;
  readonly action: string | undefined;
  /** A token, or the user of one. */
  readonly actorId: string | undefined;
  readonly targetId: string | undefined;
  /** From this moment on. */
  readonly from: Date | undefined;
  /** Before this moment. */
  readonly to: Date | undefined;
}

/** The audit trail: entries are added and read, nothing else. */
export interface AuditStore {
  /** Adds an entry about nothing that is written, such as a refusal; a change adds its own in its transaction. */
  append(entry: AuditDocument): Promise<void>;
  /** Adds the entries that another service sends, but those whose ids are there already: they stay as they are. */
  appendOnce(sent: readonly AuditDocument[]): Promise<void>;
  /** At most `limit` entries that match, newest first, those of one millisecond by their ids, after the one with the id `before`. */
  list(filter: AuditFilter, page: { limit: number; before: string | undefined }): Promise<AuditDocument[]>;
}

/** The audit trail over a service's database. */
export function createAuditStore({ connection }: Storage): AuditStore {
  const entries = auditModel(connection);
  return {
    append: (entry) => appendEntry(entries, entry),
    async appendOnce(sent) {
      try {
        await entries.insertMany([...sent], { ordered: false });
      } catch (error) {
        // Of all that was not inserted; the id is the only key.
        if (!isDuplicateKey(error) || !getErrors(error).every((fault) => isDuplicateKey(fault))) throw error;
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
        // Of the millisecond in which the page before ended, what it had not.
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

/** Adds an entry, in a transaction when there is a session. */
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
