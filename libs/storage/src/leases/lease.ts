import mongoose from "mongoose";
import { maxStreamWaitMs, type ChangeStream } from "../changes/stream-watch.ts";

/**
 * A lease on a document. Each holder has a higher fence than the one before, and only the holder of the latest fence may write: a
 * worker that was suspended past the end of its lease is rejected, whatever its clock says.
 */
export interface Lease {
  owner: string;
  /** The time at which a holder last acquired or renewed the lease, by its clock; or at which a lease ended that a process left. */
  since: Date;
  until: Date;
  fence: number;
}

/** Creates the schema of a document's field `lease`. */
export function createLeaseSchema(): mongoose.Schema<Lease> {
  return new mongoose.Schema<Lease>({ owner: String, since: Date, until: Date, fence: Number }, { _id: false });
}

/** Creates a lease without a holder. */
export function createUnheldLease(): Lease {
  return { owner: "", since: new Date(0), until: new Date(0), fence: 0 };
}

/** The maximum difference between the clocks of two processes, in milliseconds. */
export const maxClockSkewMs = 60_000;

/**
 * Returns the filter of documents whose lease was acquired in the future. The clock was set back since then, so the lease would last
 * too long. One minute of clock skew between machines is tolerated.
 */
export function toFutureLeaseFilter(now: Date) {
  const future = mongoose.trusted({ $gt: new Date(now.getTime() + maxClockSkewMs) });
  // The second condition implies the first, which can use an index.
  return { "lease.until": future, "lease.since": future };
}

/** Returns the filter of documents whose lease another owner holds. */
export function toForeignLeaseFilter(owner: string) {
  return { "lease.owner": mongoose.trusted({ $nin: ["", owner] }) };
}

/**
 * Returns the update that releases a lease, whoever holds it. The fence of the next holder rejects later writes of this one. The time of the
 * last renewal remains, because it says since when nobody works on the document.
 */
export function releaseLease() {
  return { $set: { "lease.owner": "", "lease.until": new Date(0) } };
}

/**
 * Opens a change stream that reports the documents of a collection whose lease nobody holds: new ones, and those that were released. It
 * does not report leases that expire.
 */
export function watchFreeLeases(collection: mongoose.Collection): ChangeStream {
  const newOwner = { $getField: { field: "lease.owner", input: "$updateDescription.updatedFields" } };
  const isFree = { $or: [{ "fullDocument.lease.owner": "" }, { $expr: { $eq: [newOwner, ""] } }] };
  return collection.watch([{ $match: isFree }], { maxAwaitTimeMS: maxStreamWaitMs });
}

/** Returns the filter of documents whose lease has expired. */
export function toExpiredLeaseFilter(now: Date) {
  return { "lease.until": mongoose.trusted({ $lt: now }) };
}

/** Returns the update that acquires a lease for an owner and increments the fence. */
export function acquireLease(owner: string, now: Date, until: Date) {
  return { $set: { "lease.owner": owner, ...renewLease(now, until).$set }, $inc: { "lease.fence": 1 } };
}

/** Returns the update that renews the holder's lease. */
export function renewLease(now: Date, until: Date) {
  return { $set: { "lease.since": now, "lease.until": until } };
}

/** Returns the filter that matches only while this lease, with this fence, is held. */
export function toHeldLeaseFilter({ owner, fence }: Pick<Lease, "owner" | "fence">) {
  return { "lease.owner": owner, "lease.fence": fence };
}
