import { toBytes } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import type { Transaction } from "../transaction.ts";

/** The largest piece of a byte sequence that one document holds. */
export const chunkBytes = 1024 * 1024;

interface ChunkDocument {
  /** `${key}:${n}`, n from 0 with six digits. */
  _id: string;
  /** The file contents that the chunk belongs to or was made from, or the key where that was not known yet; they go together. */
  sha256: string;
  data: Buffer;
}

/** A chunk is not where it should be. */
export class MissingChunk extends Error {}

/** Byte sequences of any length, cut into documents. */
export interface ChunkStore {
  /** Stores the n-th chunk of a key that nobody else has. */
  put(key: string, n: number, sha256: string, data: Uint8Array, session?: Transaction): Promise<void>;
  /** The chunks of a key in order, one at a time. Throws MissingChunk when one is missing. */
  read(key: string, count: number): AsyncIterable<Uint8Array>;
  /** Removes all chunks that belong to, or were made from, the contents with this hash. */
  removeAll(sha256: string, session: Transaction): Promise<void>;
  /** Removes the chunks of one key. */
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
      const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      await chunks.create([{ _id: chunkId(key, n), sha256, data }], session === undefined ? {} : { session });
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

/** A byte sequence as chunks, which are views of it. */
export function getPieces(bytes: Uint8Array): Uint8Array[] {
  const count = Math.ceil(bytes.length / chunkBytes);
  return Array.from({ length: count }, (_, n) => bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes));
}

/**
 * Joins chunks to one sequence in a buffer of its own. They have at most `maxBytes` together; each is copied as it comes, because
 * joining a large sequence at once would hold up everybody else.
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
