import type { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { toBuffer, toBytes } from "@switchyard/storage";
import { createHash } from "node:crypto";
import { chunkBytes, joinChunks, MissingChunk, getPieces } from "./blobs/chunks.ts";
import type { ChunkStore } from "./blobs/chunks.ts";
import type { Transaction } from "./transaction.ts";
import { warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** The result of reading bytes. */
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
  /** The key of the text. */
  _id: string;
  sha256: string;
  contentType: string;
  problem: { code: ReadProblem; message: string } | null;
  /** The text, unless it is too large. */
  data?: Buffer;
  /** The key of the chunks of a large text. It is unique, so that concurrent writers do not mix their chunks. */
  chunkKey: string;
  chunkCount: number;
  /** The SHA-256 of the stored text. A text with another hash is not used. */
  checksum?: string;
  readAt: Date;
}

/**
 * Stores texts by a key of the bytes, the reader, and everything else that determines the text. Texts can be read again at any time, so
 * writes do not wait for a flush.
 */
export interface TextStore {
  /** Finds a text. Returns null if there is none, or if it is damaged. */
  find(key: string): Promise<StoredText | null>;
  /** Stores a text, replacing an older one. If another writer was faster, its text is kept. */
  put(key: string, sha256: string, text: StoredText, replacing: StoredText | null): Promise<void>;
  /** Removes all texts of the bytes within a transaction. Their chunks are removed with those of the bytes. */
  removeAll(sha256: string, session: Transaction): Promise<void>;
}

/** The dependencies of the store. */
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

  /** Stores the document of a text. Returns false if another writer was faster. */
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

  /** Loads the bytes of a text; undefined if they are incomplete or damaged. */
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
        // Deleted, so that the text can be stored again.
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
        ...(pieces.length === 0 ? { data: toBuffer(bytes) } : {}),
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

/** For writes that can be lost, because the text can be read again. */
const unflushed = { writeConcern: { w: 1 } };

function computeChecksum(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
