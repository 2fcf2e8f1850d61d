import type { Model } from "mongoose";
import mongoose from "mongoose";
import type { BlobDocument } from "./blob-document.ts";
import type { ChunkStore } from "./chunks.ts";
import type { Transaction } from "../transaction.ts";

/** Bytes that perhaps no file refers to, as they were when they were looked at. */
export interface DoubtfulBlob {
  sha256: string;
  condemned: boolean;
  /** What must still be so when something is decided on it. */
  seen: Pick<BlobDocument, "reviewAt" | "releases" | "condemnedAt">;
}

/**
 * The removal of bytes to which no file refers. It has two steps, so that it cannot miss a transaction that only read that the bytes
 * are there. First they are condemned: whoever refers to them from then on has to say so in their document. Once every
 * transaction that began before is over, they are removed, unless a file refers to them now.
 */
export interface BlobRemoval {
  /** Within the transaction that removes files: says whether another file has the same bytes. */
  release(sha256: string, used: boolean, session: Transaction): Promise<void>;
  /** Bytes to look at now. */
  doubtful(limit: number): Promise<DoubtfulBlob[]>;
  /** Says that a file refers to the bytes. Nothing happens where something was changed since they were looked at. */
  spare(blob: DoubtfulBlob, session?: Transaction): Promise<void>;
  /** Begins their removal. Nothing happens where something was changed since they were looked at. */
  condemn(blob: DoubtfulBlob): Promise<void>;
  /** Within a transaction: removes condemned bytes; false where something was changed since they were looked at. */
  remove(blob: DoubtfulBlob, session: Transaction): Promise<boolean>;
}

/** What the removal needs. */
export interface BlobRemovalDependencies {
  blobs: Model<BlobDocument>;
  chunks: ChunkStore;
  now: () => number;
  /** After how long every transaction that began before is over, in milliseconds. */
  settleMs: number;
}

/** Creates the removal of bytes. */
export function createBlobRemoval({ blobs, chunks, now, settleMs }: BlobRemovalDependencies): BlobRemoval {
  const asSeen = ({ sha256, seen }: DoubtfulBlob) => ({
    _id: sha256,
    reviewAt: seen.reviewAt ?? null,
    releases: seen.releases ?? null,
    condemnedAt: seen.condemnedAt ?? null,
  });

  return {
    async release(sha256, used, session) {
      const idle = used ? {} : { $set: { idle: true, reviewAt: new Date(now()) } };
      await blobs.updateOne({ _id: sha256 }, { ...idle, $inc: { releases: 1 } }, { session });
    },

    async doubtful(limit) {
      // Those of an earlier version have no time.
      const due = mongoose.trusted({ $not: { $gt: new Date(now()) } });
      const found = await blobs.find({ idle: true, reviewAt: due }).limit(limit).lean();
      return found.map(({ _id, reviewAt, releases, condemnedAt }) => ({
        sha256: _id,
        condemned: condemnedAt != null,
        seen: {
          ...(reviewAt === undefined ? {} : { reviewAt }),
          ...(releases === undefined ? {} : { releases }),
          ...(condemnedAt === undefined ? {} : { condemnedAt }),
        },
      }));
    },

    async spare(blob, session) {
      const spared = { $set: { idle: false, condemnedAt: null } };
      await blobs.updateOne(asSeen(blob), spared, session === undefined ? {} : { session });
    },

    async condemn(blob) {
      const time = now();
      const condemned = { condemnedAt: new Date(time), reviewAt: new Date(time + settleMs) };
      await blobs.updateOne(asSeen(blob), { $set: condemned });
    },

    async remove(blob, session) {
      const found = await blobs.findOneAndDelete(asSeen(blob), { session }).lean();
      if (found === null) return false;
      await chunks.removeAll(blob.sha256, session);
      if (found.chunkKey !== undefined) await chunks.removeAll(found.chunkKey, session);
      return true;
    },
  };
}
