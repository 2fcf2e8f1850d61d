import { bytesOf } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import type { Transaction } from "./transaction.ts";

/** The largest piece of a byte sequence that one document holds. */
export const chunkBytes = 1024 * 1024;

interface ChunkDocument {
  /** `${key}:${n}`, n from 0 with six digits. */
  _id: string;
  /** The file contents that the chunk belongs to or was made from; they go together. */
  sha256: string;
  data: Buffer;
}

/** Byte sequences of any length, cut into documents. */
export interface ChunkStore {
  /** Stores bytes under a key; what is there already under that key stays. Returns the number of chunks. */
  write(key: string, sha256: string, bytes: Uint8Array): Promise<number>;
  /** The chunks of a key in order, one at a time. Throws when one is missing. */
  read(key: string, count: number): AsyncIterable<Uint8Array>;
  /** Removes all chunks that belong to, or were made from, the contents with this hash. */
  removeAll(sha256: string, session: Transaction): Promise<void>;
  /** Removes the chunks of one key. */
  remove(key: string, count: number): Promise<void>;
}

/** Creates the store of chunks. `isDuplicate` tells the error of an insert whose id is taken. */
export function createChunkStore(connection: Connection, isDuplicate: (error: unknown) => boolean): ChunkStore {
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
    async write(key, sha256, bytes) {
      const count = Math.ceil(bytes.length / chunkBytes);
      for (let n = 0; n < count; n++) {
        const data = Buffer.from(bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes));
        try {
          await chunks.create([{ _id: chunkId(key, n), sha256, data }]);
        } catch (error) {
          if (!isDuplicate(error)) throw error;
        }
      }
      return count;
    },

    async *read(key, count) {
      for (let n = 0; n < count; n++) {
        const chunk = await chunks.findById(chunkId(key, n)).lean();
        if (chunk === null) throw new Error(`Chunk ${n} of ${key} is missing`);
        yield bytesOf(chunk.data);
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

/** Joins chunks to one sequence. */
export async function joinChunks(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}

function chunkId(key: string, n: number): string {
  return `${key}:${String(n).padStart(6, "0")}`;
}
