import mongoose from "mongoose";

/**
 * Who works on a document, until when, and the how-manieth holder this is. Only the holder of the last fence may write: a worker that
 * slept past its lease and wakes up finds that its fence is no longer the document's, whatever its clock says.
 */
export interface Lease {
  owner: string;
  until: Date;
  fence: number;
}

/** The schema of a document's field `lease`. */
export function leaseSchema(): mongoose.Schema<Lease> {
  return new mongoose.Schema<Lease>({ owner: String, until: Date, fence: Number }, { _id: false });
}

/** A lease that nobody holds: whoever comes first takes it. */
export function freeLease(): Lease {
  return { owner: "", until: new Date(0), fence: 0 };
}

/** The filter of documents whose lease is over. */
export function leaseOver(now: Date) {
  return { "lease.until": mongoose.trusted({ $lt: now }) };
}

/** The update with which an owner takes a lease: the next fence. */
export function leaseTaken(owner: string, until: Date) {
  return { $set: { "lease.owner": owner, "lease.until": until }, $inc: { "lease.fence": 1 } };
}

/** The filter that lets the holder of this very lease write, and nobody else. */
export function leaseHeld({ owner, fence }: Pick<Lease, "owner" | "fence">) {
  return { "lease.owner": owner, "lease.fence": fence };
}
