import { requireQuota } from "@switchyard/storage";
import { Schema, trusted } from "mongoose";
import type { Connection, Model } from "mongoose";
import type { FileRecord, FileStore } from "./files.ts";
import type { Transaction } from "./transaction.ts";

/** Counts the bytes of the files of organizations, in the transactions that store and remove files. */
export interface StoredBytes {
  /**
   * Adds to the bytes of an organization. It must follow the write of the file, in the same transaction. Throws InvalidArgument
   * (QUOTA_EXCEEDED) if the bytes are then more than `quota`.
   */
  add(organizationId: string, bytes: number, session: Transaction, quota?: number): Promise<void>;
}

/** A part of the bytes of an organization. Removals can make it negative. */
interface PartDocument {
  /** The organization and the number of the part, separated by a space. */
  _id: string;
  bytes: number;
}

/** The number of parts. As many transactions of an organization can be in progress without conflicts, far from its quota. */
const parts = 16;
/** The distance from a quota within which every transaction is counted exactly, in bytes. */
const margin = 1024 ** 3;
/** The time after which the sum of the parts is read again, in milliseconds. */
const maxAgeMs = 2_000;
/** The maximum number of organizations whose sums are kept. */
const maxKnown = 10_000;

/**
 * Creates the counts of bytes. Far from the quota, a transaction adds to one of several parts, so that concurrent ones do not conflict, and
 * takes one command; the sum is read every two seconds. Near the quota, every transaction writes the first part and reads the others. The
 * first part also contains what an organization had when it was counted for the first time. Create the store of files first.
 */
export function createStoredBytes(connection: Connection, now = () => performance.now()): StoredBytes {
  const counts = partModel(connection);
  const files = connection.model<FileRecord>("File");
  /** The sums of organizations whose first part exists, with what was added here since they were read. */
  const known = new Map<string, { bytes: number; at: number }>();
  let next = Math.floor(Math.random() * parts);

  const getIds = (organizationId: string) => Array.from({ length: parts }, (_, part) => `${organizationId} ${part}`);

  async function readSum(organizationId: string, session?: Transaction): Promise<number | undefined> {
    const ids = getIds(organizationId);
    const options = session === undefined ? {} : { session };
    const found = await counts.find({ _id: trusted({ $in: ids }) }, null, options).lean<PartDocument[]>();
    if (!found.some(({ _id }) => _id === ids[0])) return undefined;
    return found.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Returns the sum of an organization, which may be outdated; undefined if it was not counted yet. */
  async function getKnown(organizationId: string): Promise<{ bytes: number } | undefined> {
    const entry = known.get(organizationId);
    if (entry !== undefined && now() - entry.at < maxAgeMs) return entry;
    const at = now();
    const bytes = await readSum(organizationId);
    if (bytes === undefined) return undefined;
    const read = { bytes, at };
    if (known.size >= maxKnown) known.clear();
    known.set(organizationId, read);
    return read;
  }

  async function sumFiles(organizationId: string, session: Transaction): Promise<number> {
    let sum = 0;
    for await (const { size } of files.find({ organizationId }, { size: 1 }, { session }).lean().cursor()) sum += size;
    return sum;
  }

  /** Adds to the first part, which conflicts with every other transaction that does, and returns the exact sum. */
  async function addExactly(organizationId: string, bytes: number, session: Transaction): Promise<number> {
    const [first = ""] = getIds(organizationId);
    const { matchedCount } = await counts.updateOne({ _id: first }, { $inc: { bytes } }, { session });
    if (matchedCount > 0) return (await readSum(organizationId, session)) ?? 0;
    // The sum already contains the file of this transaction.
    const sum = await sumFiles(organizationId, session);
    await counts.create([{ _id: first, bytes: sum }], { session });
    return sum;
  }

  return {
    async add(organizationId, bytes, session, quota = Infinity) {
      const sum = await getKnown(organizationId);
      if (sum !== undefined && (bytes <= 0 || sum.bytes + bytes <= quota - margin)) {
        sum.bytes += bytes;
        next = (next + 1) % parts;
        await counts.updateOne({ _id: `${organizationId} ${next}` }, { $inc: { bytes } }, { upsert: true, session });
        return;
      }
      const storedBytes = await addExactly(organizationId, bytes, session);
      requireQuota({ storedBytes: quota }, { storedBytes }, { storedBytes: bytes });
    },
  };
}

/** Returns the store of files so that it counts the bytes of the files that it stores and removes. */
export function withStoredBytes(files: FileStore, storedBytes: StoredBytes): FileStore {
  const remove = (record: Pick<FileRecord, "organizationId" | "size">, session: Transaction): Promise<void> =>
    storedBytes.add(record.organizationId, -record.size, session);
  return {
    ...files,
    async insert(records, session, quota) {
      const stored = await files.insert(records, session);
      const bytes = records.reduce((sum, { size }) => sum + size, 0);
      if (records[0] !== undefined) await storedBytes.add(records[0].organizationId, bytes, session, quota);
      return stored;
    },
    async remove(id, session) {
      const removed = await files.remove(id, session);
      if (removed !== null) await remove(removed, session);
      return removed;
    },
    async removeExpired(id, now, session) {
      const removed = await files.removeExpired(id, now, session);
      if (removed !== null) await remove(removed, session);
      return removed;
    },
    async removeSome(projectId, limit, session) {
      const removed = await files.removeSome(projectId, limit, session);
      const size = removed.reduce((sum, file) => sum + file.size, 0);
      // All files of a project belong to one organization.
      if (removed[0] !== undefined) await remove({ organizationId: removed[0].organizationId, size }, session);
      return removed;
    },
  };
}

function partModel(connection: Connection): Model<PartDocument> {
  const schema = new Schema<PartDocument>(
    { _id: { type: String, required: true }, bytes: { type: Number, required: true } },
    { versionKey: false },
  );
  return connection.model<PartDocument>("StoredBytes", schema, "stored_bytes");
}
