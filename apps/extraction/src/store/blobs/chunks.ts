import { toBuffer, toBytes } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import type { Transaction } from "../transaction.ts";

/** The maximum size of a chunk, which is stored in one document. */
export const chunkBytes = 1024 * 1024;

interface ChunkDocument {
  /** `${key}:${n}`, where n has six digits and begins at 0. */
  _id: string;
  /**
   * The hash of the contents to which the chunk belongs or from which it was created, or the key if the hash was not known yet. They are
   * removed together.
   */
  sha256: string;
  data: Buffer;
}

/** Thrown if a chunk is missing. */
export class MissingChunk extends Error {}

/** Stores byte sequences of any length, split into documents. */
export interface ChunkStore {
  /** Stores the n-th chunk of a unique key. */
  put(key: string, n: number, sha256: string, data: Uint8Array, session?: Transaction): Promise<void>;
  /** Yields the chunks of a key in order. Throws MissingChunk if one is missing. */
  read(key: string, count: number): AsyncIterable<Uint8Array>;
  /** Removes all chunks that belong to the contents with this hash or were created from them. */
  removeAll(sha256: string, session: Transaction): Promise<void>;
  /** Removes the chunks of a key. */
  remove(key: string, count: number): Promise<void>;
}

/** Creates the store of chunks. */
export function createChunkStore(connection: Connection): ChunkStore {
  const schema = new mongoose.Schema<ChunkDocument>(
    {
      _id: { type: String, required: true },
      sha256: { type: String, required: true },
      data: { type: Buffer, required: true },
    },
    { versionKey: false },
  );
  schema.index({ sha256: 1 });
  const chunks = connection.model<ChunkDocument>("Chunk", schema, "chunks");

  return {
    async put(key, n, sha256, bytes, session) {
      await chunks.insertMany([{ _id: chunkId(key, n), sha256, data: toBuffer(bytes) }], {
        lean: true,
        ...(session === undefined ? {} : { session }),
      });
    },

    async *read(key, count) {
      for (let n = 0; n < count; n++) {
        const chunk = await chunks.findById(chunkId(key, n)).lean();
        if (chunk === null) throw new MissingChunk(`Chunk ${n} of ${key} is missing`);
        yield toBytes(chunk.data);
      }
    },

    async removeAll(sha256, session) {
      await chunks.deleteMany({ sha256 }, { session });
    },

    async remove(key, count) {
      for (let n = 0; n < count; n++) await chunks.deleteOne({ _id: chunkId(key, n) });
    },
  };
}

/** Splits a byte sequence into chunks, which are views of it. */
export function getPieces(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes));
}

/**
 * Joins chunks to one sequence in a new buffer. They have at most `maxBytes` together. Each is copied as it arrives, because copying a
 * large sequence at once would block other work.
 */
export async function joinChunks(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const joined = new Uint8Array(maxBytes);
  let offset = 0;
  for await (const chunk of chunks) {
    joined.set(chunk, offset);
    offset += chunk.length;
  }
  return joined.subarray(0, offset);
}

function chunkId(key: string, n: number): string {
  return `${key}:${String(n).padStart(6, "0")}`;
}
