import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { chunkBytes } from "./chunks.ts";
import type { ChunkStore } from "./chunks.ts";
import type { Transaction } from "./transaction.ts";

interface BlobDocument {
  /** The SHA-256 of the bytes, in lower-case hexadecimal. */
  _id: string;
  size: number;
  chunkCount: number;
  /** Whether all chunks are there. */
  complete: boolean;
  /** Whether, as far as is known, no file refers to it. */
  idle: boolean;
  /** When somebody last meant to refer to it; only what was long not touched may be removed. */
  touchedAt: Date;
}

/**
 * The bytes of files, once for every content. Whoever wants to refer to bytes puts them first and holds them in the transaction
 * that makes the reference; whoever removes them does so in a transaction that finds neither a reference nor a recent touch.
 */
export interface BlobStore {
  /** Stores bytes under their hash; does nothing but note the time where they are there already. */
  put(sha256: string, bytes: Uint8Array): Promise<void>;
  /** Within a transaction: notes that a reference is made. False when the bytes are not, or no longer, there. */
  hold(sha256: string, session: Transaction): Promise<boolean>;
  /** The bytes, in pieces of at most 1 MiB. Throws when they are not there. */
  read(sha256: string): AsyncIterable<Uint8Array>;
  /** Within a transaction: notes that the last reference is gone. */
  release(sha256: string, session: Transaction): Promise<void>;
  /** Within a transaction: removes bytes, and all that was made from them, unless held, or touched since `before`. */
  remove(sha256: string, before: Date, session: Transaction): Promise<boolean>;
  /** Hashes of bytes to which nobody has referred since a time. */
  idle(before: Date, limit: number): Promise<string[]>;
}

/** What the store of bytes needs. */
export interface BlobStoreDependencies {
  connection: Connection;
  chunks: ChunkStore;
  isDuplicate: (error: unknown) => boolean;
  now: () => number;
}

/** Creates the store of bytes. */
export function createBlobStore({ connection, chunks, isDuplicate, now }: BlobStoreDependencies): BlobStore {
  const schema = new mongoose.Schema<BlobDocument>(
    {
      _id: { type: String, required: true },
      size: { type: Number, required: true },
      chunkCount: { type: Number, required: true },
      complete: { type: Boolean, required: true },
      idle: { type: Boolean, required: true },
      touchedAt: { type: Date, required: true },
    },
    { versionKey: false },
  );
  schema.index({ idle: 1, touchedAt: 1 });
  const blobs = connection.model<BlobDocument>("Blob", schema, "blobs");

  async function touch(sha256: string): Promise<BlobDocument | null> {
    return blobs.findOneAndUpdate({ _id: sha256 }, { $set: { touchedAt: new Date(now()) } }).lean();
  }

  /** Notes the intent before the first chunk is written, so that a removal that runs meanwhile keeps away. */
  async function announce(sha256: string, bytes: Uint8Array): Promise<boolean> {
    const known = await touch(sha256);
    if (known !== null) return known.complete;
    const chunkCount = Math.ceil(bytes.length / chunkBytes);
    const touchedAt = new Date(now());
    try {
      await blobs.create([{ _id: sha256, size: bytes.length, chunkCount, complete: false, idle: true, touchedAt }]);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
    }
    return false;
  }

  return {
    async put(sha256, bytes) {
      if (await announce(sha256, bytes)) return;
      await chunks.write(sha256, sha256, bytes);
      await blobs.findOneAndUpdate({ _id: sha256 }, { $set: { complete: true } });
    },

    async hold(sha256, session) {
      const held = await blobs
        .findOneAndUpdate(
          { _id: sha256, complete: true },
          { $set: { idle: false, touchedAt: new Date(now()) } },
          { session },
        )
        .lean();
      return held !== null;
    },

    async *read(sha256) {
      const blob = await blobs.findById(sha256).lean();
      if (blob === null || !blob.complete) throw new Error(`The bytes of ${sha256} are missing`);
      yield* chunks.read(sha256, blob.chunkCount);
    },

    async release(sha256, session) {
      await blobs.findOneAndUpdate({ _id: sha256 }, { $set: { idle: true } }, { session });
    },

    async remove(sha256, before, session) {
      const removed = await blobs.deleteOne(
        { _id: sha256, idle: true, touchedAt: mongoose.trusted({ $lt: before }) },
        { session },
      );
      if (removed.deletedCount === 0) return false;
      await chunks.removeAll(sha256, session);
      return true;
    },

    async idle(before, limit) {
      const found = await blobs
        .find({ idle: true, touchedAt: mongoose.trusted({ $lt: before }) })
        .limit(limit)
        .lean();
      return found.map((blob) => blob._id);
    },
  };
}
