import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { joinChunks } from "./chunks.ts";
import type { ChunkStore } from "./chunks.ts";
import type { Transaction } from "./transaction.ts";
import { warningsField } from "./warnings.ts";
import type { StoredWarning } from "./warnings.ts";

/** What reading some bytes once gave. */
export interface StoredText {
  contentType: string;
  problem: { code: ReadProblem; message: string } | null;
  warnings: StoredWarning[];
  text: DocumentText;
  readAt: Date;
}

interface TextDocument {
  warnings: StoredWarning[];
  /** The key of the reading. */
  _id: string;
  sha256: string;
  contentType: string;
  problem: { code: ReadProblem; message: string } | null;
  /** Where the chunks of the text are: of this reading alone, so that two that race never mix. */
  chunkKey: string;
  chunkCount: number;
  readAt: Date;
}

/** Texts read from bytes, by a key that names bytes, reader and whatever else decides what is read. */
export interface TextStore {
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
      chunkKey: { type: String, required: true },
      chunkCount: { type: Number, required: true },
      readAt: { type: Date, required: true },
    },
    { versionKey: false },
  );
  schema.index({ sha256: 1 });
  const texts = connection.model<TextDocument>("Text", schema, "texts");

  async function place(document: TextDocument, replacing: StoredText | null): Promise<boolean> {
    if (replacing !== null) {
      const { _id, ...fields } = document;
      const replaced = await texts.findOneAndUpdate({ _id, readAt: replacing.readAt }, { $set: fields }).lean();
      return replaced !== null;
    }
    try {
      await texts.create([document]);
      return true;
    } catch (error) {
      if (isDuplicate(error)) return false;
      throw error;
    }
  }

  return {
    async find(key) {
      const found = await texts.findById(key).lean();
      if (found === null) return null;
      const bytes = await joinChunks(chunks.read(found.chunkKey, found.chunkCount));
      const text = fromBinary(DocumentTextSchema, bytes);
      const { contentType, problem, warnings = [], readAt } = found;
      return { contentType, problem, warnings, text, readAt };
    },

    async put(key, sha256, { contentType, problem, warnings, text, readAt }, replacing) {
      const chunkKey = newKey();
      const chunkCount = await chunks.write(chunkKey, sha256, toBinary(DocumentTextSchema, text));
      const document = { _id: key, sha256, contentType, problem, warnings, chunkKey, chunkCount, readAt };
      if (!(await place(document, replacing))) await chunks.remove(chunkKey, chunkCount);
    },

    async removeAll(sha256, session) {
      await texts.deleteMany({ sha256 }, { session });
    },
  };
}
