import type { Model } from "mongoose";
import mongoose from "mongoose";
import type { BlobDocument } from "./blob-document.ts";
import type { ChunkStore } from "./chunks.ts";
import type { Transaction } from "../transaction.ts";

/** Bytes that may be unreferenced, with the state in which they were read. */
export interface RemovalCandidate {
  sha256: string;
  isMarked: boolean;
  /** The fields that must be unchanged for a decision to take effect. */
  seen: Pick<BlobDocument, "reviewAt" | "releases" | "markedForRemovalAt">;
}

/**
 * Removes bytes to which no file refers. It takes two steps, so that it cannot miss a transaction that only read that the bytes
 * exist. First the bytes are marked for removal: a transaction that refers to them from then on must clear the mark. Once every
 * transaction that began before has ended, they are removed, unless a file refers to them now.
 */
export interface BlobRemoval {
  /** Records, in the transaction that removes a file, whether another file has the same bytes. */
  release(sha256: string, used: boolean, session: Transaction): Promise<void>;
  /** Returns bytes that are due for a check. */
  findCandidates(limit: number): Promise<RemovalCandidate[]>;
  /** Keeps bytes to which a file refers. Does nothing if they changed since they were read. */
  retain(blob: RemovalCandidate, session?: Transaction): Promise<void>;
  /** Marks bytes for removal. Does nothing if they changed since they were read. */
  markForRemoval(blob: RemovalCandidate): Promise<void>;
  /** Removes marked bytes in a transaction. Returns false if they changed since they were read. */
  remove(blob: RemovalCandidate, session: Transaction): Promise<boolean>;
}

/** The dependencies of the removal. */
export interface BlobRemovalDependencies {
  blobs: Model<BlobDocument>;
  chunks: ChunkStore;
  now: () => number;
  /** The time after which every earlier transaction has ended, in milliseconds. */
  settleMs: number;
}

/** Creates the removal of bytes. */
export function createBlobRemoval({ blobs, chunks, now, settleMs }: BlobRemovalDependencies): BlobRemoval {
  const ifUnchanged = ({ sha256, seen }: RemovalCandidate) => ({
    _id: sha256,
    reviewAt: seen.reviewAt ?? null,
    releases: seen.releases ?? null,
    markedForRemovalAt: seen.markedForRemovalAt ?? null,
  });

  return {
    async release(sha256, used, session) {
      const idle = used ? {} : { $set: { idle: true, reviewAt: new Date(now()) } };
      await blobs.updateOne({ _id: sha256 }, { ...idle, $inc: { releases: 1 } }, { session });
    },

    async findCandidates(limit) {
      // Documents of an earlier version have no such field.
      const due = mongoose.trusted({ $not: { $gt: new Date(now()) } });
      const fields = { reviewAt: 1, releases: 1, markedForRemovalAt: 1 };
      const found = await blobs.find({ idle: true, reviewAt: due }, fields).limit(limit).lean();
      return found.map(({ _id, reviewAt, releases, markedForRemovalAt }) => ({
        sha256: _id,
        isMarked: markedForRemovalAt != null,
        seen: {
          ...(reviewAt === undefined ? {} : { reviewAt }),
          ...(releases === undefined ? {} : { releases }),
          ...(markedForRemovalAt === undefined ? {} : { markedForRemovalAt }),
        },
      }));
    },

    async retain(blob, session) {
      const retained = { $set: { idle: false, markedForRemovalAt: null } };
      await blobs.updateOne(ifUnchanged(blob), retained, session === undefined ? {} : { session });
    },

    async markForRemoval(blob) {
      const time = now();
      const marked = { markedForRemovalAt: new Date(time), reviewAt: new Date(time + settleMs) };
      await blobs.updateOne(ifUnchanged(blob), { $set: marked });
    },

    async remove(blob, session) {
      const found = await blobs.findOneAndDelete(ifUnchanged(blob), { session }).lean();
      if (found === null) return false;
      await chunks.removeAll(blob.sha256, session);
      if (found.chunkKey !== undefined) await chunks.removeAll(found.chunkKey, session);
      return true;
    },
  };
}
