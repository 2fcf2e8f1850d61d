import type { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { toBytes } from "@switchyard/storage";
import { createHash } from "node:crypto";
import { chunkBytes, joinChunks, MissingChunk, getPieces } from "./blobs/chunks.ts";
import type { ChunkStore } from "./blobs/chunks.ts";
import type { Transaction } from "./transaction.ts";
import { warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** What reading some bytes once gave. */
export interface StoredText {
  contentType: string;
  problem: { code: ReadProblem; message: string } | null;
  warnings: StoredWarning[];
  /** A DocumentText in binary form. */
  text: Uint8Array;
  readAt: Date;
}

interface TextDocument {
  warnings: StoredWarning[];
  /** The key of the reading. */
  _id: string;
  sha256: string;
  contentType: string;
  problem: { code: ReadProblem; message: string } | null;
  /** The text, unless it is too large. */
  data?: Buffer;
  /** Where the chunks of a large text are: of this reading alone, so that two that race never mix. */
  chunkKey: string;
  chunkCount: number;
  /** The SHA-256 of the stored text; a text that has another one is not used. */
  checksum?: string;
  readAt: Date;
}

/**
 * Texts read from bytes, by a key that names bytes, reader and whatever else decides what is read. They can be read again at any
 * time, so no write of them is waited for until it would survive a loss of power.
 */
export interface TextStore {
  /** Null also where a text is no longer as it was stored. */
  find(key: string): Promise<StoredText | null>;
  /** Stores a reading in place of an older one, if any; where another was quicker, that one stays. */
  put(key: string, sha256: string, text: StoredText, replacing: StoredText | null): Promise<void>;
  /** Within a transaction: forgets all readings of the bytes; their chunks go with those of the bytes. */
  removeAll(sha256: string, session: Transaction): Promise<void>;
}

/** What the store of texts needs. */
export interface TextStoreDependencies {
  connection: Connection;
  chunks: ChunkStore;
  newKey: () => string;
  isDuplicate: (error: unknown) => boolean;
}

/** Creates the store of texts. */
export function createTextStore({ connection, chunks, newKey, isDuplicate }: TextStoreDependencies): TextStore {
  const schema = new mongoose.Schema<TextDocument>(
    {
      _id: { type: String, required: true },
      sha256: { type: String, required: true },
      contentType: { type: String, required: true },
      problem: { type: new mongoose.Schema({ code: Number, message: String }, { _id: false }), default: null },
      warnings: warningsField(),
      data: Buffer,
      chunkKey: { type: String, required: true },
      chunkCount: { type: Number, required: true },
      checksum: String,
      readAt: { type: Date, required: true },
    },
    { versionKey: false },
  );
  schema.index({ sha256: 1 });
  const texts = connection.model<TextDocument>("Text", schema, "texts");

  /** False where another was quicker. */
  async function place(document: TextDocument, replacing: StoredText | null): Promise<boolean> {
    const { _id, ...fields } = document;
    if (replacing !== null) {
      const { matchedCount } = await texts.replaceOne({ _id, readAt: replacing.readAt }, fields, unflushed);
      return matchedCount > 0;
    }
    try {
      const { upsertedCount } = await texts.updateOne(
        { _id },
        { $setOnInsert: fields },
        { upsert: true, ...unflushed },
      );
      return upsertedCount > 0;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  /** Undefined where the text is not there whole, as it was stored. */
  async function storedBytes({ data, chunkKey, chunkCount, checksum }: TextDocument): Promise<Uint8Array | undefined> {
    try {
      const joined = () => joinChunks(chunks.read(chunkKey, chunkCount), chunkCount * chunkBytes);
      const bytes = data === undefined ? await joined() : toBytes(data);
      return checksum === undefined || checksum === computeChecksum(bytes) ? bytes : undefined;
    } catch (error) {
      if (error instanceof MissingChunk) return undefined;
      throw error;
    }
  }

  return {
    async find(key) {
      const found = await texts.findById(key).lean();
      const bytes = found === null ? undefined : await storedBytes(found);
      if (found === null) return null;
      if (bytes === undefined) {
        // Forgotten, so that it can be stored anew.
        await texts.deleteOne({ _id: key, readAt: found.readAt }, unflushed);
        return null;
      }
      const { contentType, problem, warnings = [], readAt } = found;
      return { contentType, problem, warnings, text: bytes, readAt };
    },

    async put(key, sha256, { contentType, problem, warnings, text: bytes, readAt }, replacing) {
      const pieces = bytes.length > chunkBytes ? getPieces(bytes) : [];
      const chunkKey = newKey();
      for (const [n, data] of pieces.entries()) await chunks.put(chunkKey, n, sha256, data);
      const document: TextDocument = {
        _id: key,
        sha256,
        contentType,
        problem,
        warnings,
        ...(pieces.length === 0 ? { data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) } : {}),
        chunkKey,
        chunkCount: pieces.length,
        checksum: computeChecksum(bytes),
        readAt,
      };
      if (!(await place(document, replacing))) await chunks.remove(chunkKey, pieces.length);
    },

    async removeAll(sha256, session) {
      await texts.deleteMany({ sha256 }, { session });
    },
  };
}

/** For writes whose loss would only cost reading again. */
const unflushed = { writeConcern: { w: 1 } };

function computeChecksum(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
