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
      const free = { _id: id, ...unfinished, ...toExpiredLeaseFilter(now) };
      const options = { returnDocument: "after" as const, projection: fields };
      return (await documents.findOneAndUpdate(free, { $set, $inc }, options).lean()) as Record | null;
    },

    async renewLeases(ids, owner, now, until) {
      const own = { _id: mongoose.trusted({ $in: [...ids] }), ...unfinished, "lease.owner": owner };
      await documents.updateMany(own, renewLease(now, until));
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
