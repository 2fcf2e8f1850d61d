import mongoose from "mongoose";

/**
 * Who works on a document, until when, and the how-manieth holder this is. Only the holder of the last fence may write: a worker that
 * slept past its lease and wakes up finds that its fence is no longer the document's, whatever its clock says.
 */
export interface Lease {
  owner: string;
  /** When its holder last took or extended it, by that one's clock. */
  since: Date;
  until: Date;
  fence: number;
}

/** The schema of a document's field `lease`. */
export function leaseSchema(): mongoose.Schema<Lease> {
  return new mongoose.Schema<Lease>({ owner: String, since: Date, until: Date, fence: Number }, { _id: false });
}

/** A lease that nobody holds: whoever comes first takes it. */
export function freeLease(): Lease {
  return { owner: "", since: new Date(0), until: new Date(0), fence: 0 };
}

/** How far the clocks of two processes may be apart, in milliseconds. */
export const clockDifferenceMs = 60_000;

/**
 * The filter of documents whose lease was taken at a time that is yet to come: the clock was set back since then, and the lease would
 * last until it has caught up. A minute is left for clocks of other machines that are ahead.
 */
export function isLeaseInFuture(now: Date) {
  const future = mongoose.trusted({ $gt: new Date(now.getTime() + clockDifferenceMs) });
  // Whoever has the second has the first, by which there is an index.
  return { "lease.until": future, "lease.since": future };
}

/** The filter of documents whose lease somebody else holds. */
export function isLeaseOfOthers(owner: string) {
  return { "lease.owner": mongoose.trusted({ $nin: ["", owner] }) };
}

/** The update that frees a lease, whoever holds it: the fence of the next holder refuses what that one still writes. */
export function leaseFreed() {
  return { $set: { "lease.owner": "", "lease.since": new Date(0), "lease.until": new Date(0) } };
}

/** The filter of documents whose lease is over. */
export function leaseOver(now: Date) {
  return { "lease.until": mongoose.trusted({ $lt: now }) };
}

/** The update with which an owner takes a lease: the next fence. */
export function leaseTaken(owner: string, now: Date, until: Date) {
  return { $set: { "lease.owner": owner, ...leaseExtended(now, until).$set }, $inc: { "lease.fence": 1 } };
}

/** The update with which the holder of a lease keeps it. */
export function leaseExtended(now: Date, until: Date) {
  return { $set: { "lease.since": now, "lease.until": until } };
}

/** The filter that lets the holder of this very lease write, and nobody else. */
export function leaseHeld({ owner, fence }: Pick<Lease, "owner" | "fence">) {
  return { "lease.owner": owner, "lease.fence": fence };
}
