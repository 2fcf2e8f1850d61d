import mongoose from "mongoose";
import type { LeasedDocuments } from "./lease-sweep.ts";
import {
  acquireLease,
  releaseLease,
  renewLease,
  toExpiredLeaseFilter,
  toForeignLeaseFilter,
  toFutureLeaseFilter,
  toHeldLeaseFilter,
  watchFreeLeases,
} from "./lease.ts";
import type { Lease } from "./lease.ts";

/** A document that is worked on under a lease. */
export interface LeasedRecord {
  _id: string;
  lease: Lease;
}

/** The leases of the documents of a collection that still have work. */
export interface LeasedStore<Record extends LeasedRecord> extends LeasedDocuments {
  /** Finds documents, including those that have no more work. */
  listByIds(ids: readonly string[]): Promise<Record[]>;
  /** Lists documents whose lease has expired, the longest expired first. */
  listDue(now: Date, limit: number): Promise<Record[]>;
  /** Acquires a document whose lease has expired, with the next fence. Returns null if another owner was faster. */
  acquire(id: string, owner: string, now: Date, until: Date): Promise<Record | null>;
  /** Renews the leases of an owner. */
  renewLeases(ids: readonly string[], owner: string, now: Date, until: Date): Promise<void>;
  /** Releases the leases of all other owners. The caller must know that none of them is alive. */
  releaseOthers(owner: string): Promise<void>;
  /** Releases leases that were acquired in the future, before the clock was set back. */
  releaseFuture(now: Date): Promise<void>;
  /** Releases a lease, so that others can acquire the document at once. */
  release(id: string, lease: Lease): Promise<void>;
}

/** A document that is worked on under a lease, and that fails if there is no progress for too long. */
export interface ProgressingRecord extends LeasedRecord {
  /** The time of the last progress, or a later one if nobody could work on the document; null before the first holder. */
  progressAt: Date | null;
}

/** The leases of documents that fail without progress. */
export interface ProgressingStore<Record extends ProgressingRecord> extends LeasedStore<Record> {
  /** Lists unfinished documents without progress since a time, whoever holds their leases. */
  listStalled(since: Date, now: Date, limit: number): Promise<string[]>;
}

/**
 * Creates the leases of a collection whose documents fail without progress. The time in which nobody works on one does not count: while no
 * process runs, while the holder is suspended or cannot reach the database, and while a document waits for its turn.
 */
export function createProgressingStore<Record extends ProgressingRecord>(
  model: mongoose.Model<Record>,
  unfinished: object,
  fields: { readonly [field: string]: 0 | 1 } = {},
): ProgressingStore<Record> {
  const documents = model as unknown as mongoose.Model<ProgressingRecord>;
  const leases = createLeasedStore<Record>(model, unfinished, fields);
  const times = { lease: 1, progressAt: 1 } as const;
  let renewedUntil = new Date(0);

  /** Counts the time since the lease of a document was released or has expired as time of progress. */
  async function excusePause(document: ProgressingRecord | null, now: Date): Promise<void> {
    if (document === null || document.progressAt === null) return;
    const { _id, progressAt, lease } = document;
    const unchanged = { _id, progressAt, "lease.fence": lease.fence };
    await documents.updateOne({ ...unfinished, ...unchanged }, { $set: { progressAt: withoutPause(document, now) } });
  }

  return {
    ...leases,
    async acquire(id, owner, now, until) {
      await excusePause(await documents.findOne(toFreeFilter(unfinished, id, now), times).lean(), now);
      return leases.acquire(id, owner, now, until);
    },
    async renewLeases(ids, owner, now, until) {
      if (renewedUntil < now) {
        const own = await documents.find(toOwnFilter(unfinished, ids, owner), times).lean();
        for (const each of own) await excusePause(each, now);
      }
      await leases.renewLeases(ids, owner, now, until);
      renewedUntil = until;
    },
    async releaseOthers(owner) {
      // Their processes have ended at an unknown time, so these leases count as a whole, like those that expire. Otherwise, documents that
      // crash every process at once would never fail.
      const left = await documents.find({ ...unfinished, ...toForeignLeaseFilter(owner) }, times).lean();
      for (const { _id, lease } of left) {
        const release = { $set: { ...releaseLease().$set, "lease.since": lease.until } };
        await documents.updateOne({ _id, ...unfinished, ...toHeldLeaseFilter(lease) }, release);
      }
    },
    async listStalled(since, now, limit) {
      // Nobody has worked since then on those whose leases ended before.
      const window = mongoose.trusted({ $gte: since });
      const worked = { $or: [{ "lease.until": window }, { "lease.owner": "", "lease.since": window }] };
      const late = { ...unfinished, ...worked, progressAt: mongoose.trusted({ $lt: since }) };
      const found = await documents.find(late, times).limit(limit).lean();
      return found.filter((document) => withoutPause(document, now) < since).map(({ _id }) => _id);
    },
  };
}

/** Returns the time of the last progress of a document, moved on by the time since its lease was released or has ended. */
function withoutPause({ progressAt, lease: { owner, since, until } }: ProgressingRecord, now: Date): Date {
  const pause = Math.max(0, now.getTime() - (owner === "" ? since : until).getTime());
  return new Date(Math.min(now.getTime(), (progressAt?.getTime() ?? Infinity) + pause));
}

/** Returns the filter of an unfinished document that can be acquired. */
function toFreeFilter(unfinished: object, id: string, now: Date) {
  return { _id: id, ...unfinished, ...toExpiredLeaseFilter(now) };
}

/** Returns the filter of the unfinished ones of some documents that an owner holds. */
function toOwnFilter(unfinished: object, ids: readonly string[], owner: string) {
  return { _id: mongoose.trusted({ $in: [...ids] }), ...unfinished, "lease.owner": owner };
}

/**
 * Creates the leases of a collection. `unfinished` is the filter of documents that have work left; with it, the end of leases needs an
 * index. `fields` are those that records are read with.
 */
export function createLeasedStore<Record extends LeasedRecord>(
  model: mongoose.Model<Record>,
  unfinished: object,
  fields: { readonly [field: string]: 0 | 1 } = {},
): LeasedStore<Record> {
  // The types of mongoose cannot express filters of a type parameter.
  const documents = model as unknown as mongoose.Model<LeasedRecord>;
  const toRecords = (found: unknown): Record[] => found as Record[];
  return {
    async listByIds(ids) {
      return toRecords(await documents.find({ _id: mongoose.trusted({ $in: [...ids] }) }, fields).lean());
    },

    async listDue(now, limit) {
      const due = { ...unfinished, ...toExpiredLeaseFilter(now) };
      return toRecords(await documents.find(due, fields).sort({ "lease.until": 1 }).limit(limit).lean());
    },

    async acquire(id, owner, now, until) {
      const { $set, $inc } = acquireLease(owner, now, until);
      const free = toFreeFilter(unfinished, id, now);
      const options = { returnDocument: "after" as const, projection: fields };
      return (await documents.findOneAndUpdate(free, { $set, $inc }, options).lean()) as Record | null;
    },

    async renewLeases(ids, owner, now, until) {
      await documents.updateMany(toOwnFilter(unfinished, ids, owner), renewLease(now, until));
    },

    async releaseOthers(owner) {
      await documents.updateMany({ ...unfinished, ...toForeignLeaseFilter(owner) }, releaseLease());
    },

    async releaseFuture(now) {
      await documents.updateMany({ ...unfinished, ...toFutureLeaseFilter(now) }, releaseLease());
    },

    async release(id, lease) {
      await documents.updateOne({ _id: id, ...unfinished, ...toHeldLeaseFilter(lease) }, releaseLease());
    },

    async getNextLeaseEnd() {
      const first = await documents
        .findOne({ ...unfinished }, { lease: 1 })
        .sort({ "lease.until": 1 })
        .lean();
      return first?.lease.until;
    },

    watchFree: () => watchFreeLeases(documents.collection),
  };
}
