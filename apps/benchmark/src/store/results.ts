import type { FileResultStatus, OutcomeCounts } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { bytesOf } from "@switchyard/storage";
import mongoose from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { FileScore } from "../domain/file-score.ts";
import type { Failure } from "./execution-documents.ts";

/** The result of a file without its cells. */
export interface ResultRecord {
  executionId: string;
  fileId: string;
  filename: string;
  /** The place of the file among those of the execution, from 0. */
  place: number;
  status: FileResultStatus;
  /** Why it failed; null otherwise. */
  error: Failure | null;
  outcomes: Record<keyof Omit<OutcomeCounts, "$typeName" | "$unknown">, number>;
  anls: number;
  exact: boolean;
  extractMs: number | null;
  /** The files from which nothing that was learned was used. */
  excludedFileIds: string[];
  /** The fence of the lease under which it was written. */
  fence: number;
  finishedAt: Date;
}

interface ResultDocument extends ResultRecord {
  /** Execution and file: a file is never scored twice. */
  _id: string;
  /** The whole score as compressed JSON, so that runs can be compared cell by cell. */
  score: Buffer;
}

/** A result on its way into the store. */
export interface NewResult {
  record: ResultRecord;
  score: Uint8Array;
}

/** Which results of an execution are wanted. */
export interface ResultQuery {
  executionId: string;
  status?: FileResultStatus | undefined;
  limit: number;
  /** After this place. */
  after?: number | undefined;
}

/** Results of files. */
export interface ResultStore {
  /** Within the transaction that counts them in their execution. */
  insert(results: readonly NewResult[], session: ClientSession): Promise<void>;
  /** The files of an execution that are finished. */
  finished(executionId: string): Promise<Set<string>>;
  list(query: ResultQuery): Promise<ResultRecord[]>;
  find(executionId: string, fileId: string): Promise<{ record: ResultRecord; score: FileScore } | null>;
  /** The scores of all finished files, one after the other. */
  scores(executionId: string): AsyncIterable<FileScore>;
  removeAll(executionId: string): Promise<void>;
}

const withoutScore = { score: 0, _id: 0 } as const;

/** Creates the store of results. */
export function createResultStore(connection: Connection): ResultStore {
  const schema = new mongoose.Schema<ResultDocument>(
    {
      _id: { type: String, required: true },
      executionId: { type: String, required: true },
      fileId: { type: String, required: true },
      filename: { type: String, default: "" },
      place: { type: Number, required: true },
      status: { type: Number, required: true },
      error: { type: new mongoose.Schema({ code: String, message: String }, { _id: false }), default: null },
      outcomes: {
        type: new mongoose.Schema(
          { correct: Number, correctlyEmpty: Number, wrong: Number, invented: Number, missing: Number },
          { _id: false },
        ),
        required: true,
      },
      anls: { type: Number, required: true },
      exact: { type: Boolean, required: true },
      extractMs: { type: Number, default: null },
      excludedFileIds: { type: [String], default: [] },
      fence: { type: Number, required: true },
      finishedAt: { type: Date, required: true },
      score: { type: Buffer, required: true },
    },
    { versionKey: false },
  );
  schema.index({ executionId: 1, place: 1 });
  const results = connection.model<ResultDocument>("Result", schema, "results");

  return {
    async insert(added, session) {
      const documents = added.map(({ record, score }) => ({
        _id: key(record.executionId, record.fileId),
        ...record,
        score: Buffer.from(score),
      }));
      await results.insertMany(documents, { session });
    },

    async finished(executionId) {
      const found = await results.find({ executionId }, { fileId: 1 }).lean();
      return new Set(found.map(({ fileId }) => fileId));
    },

    async list({ executionId, status, limit, after }) {
      return results
        .find(
          {
            executionId,
            ...(status === undefined ? {} : { status }),
            ...(after === undefined ? {} : { place: mongoose.trusted({ $gt: after }) }),
          },
          withoutScore,
        )
        .sort({ place: 1 })
        .limit(limit)
        .lean();
    },

    async find(executionId, fileId) {
      const found = await results.findById(key(executionId, fileId)).lean();
      if (found === null) return null;
      const { score, ...record } = found;
      return { record, score: await unpackScore(score) };
    },

    async *scores(executionId) {
      const cursor = results.find({ executionId }, { score: 1 }).sort({ place: 1 }).lean().cursor({ batchSize: 100 });
      for await (const { score } of cursor) yield await unpackScore(score);
    },

    async removeAll(executionId) {
      await results.deleteMany({ executionId });
    },
  };
}

/** A score as it is stored. */
export async function packScore(score: FileScore): Promise<Uint8Array> {
  return promisify(deflate)(JSON.stringify(score));
}

async function unpackScore(bytes: Uint8Array | { value(): unknown }): Promise<FileScore> {
  return JSON.parse((await promisify(inflate)(bytesOf(bytes))).toString("utf8")) as FileScore;
}

/** Ids have no blanks. */
function key(executionId: string, fileId: string): string {
  return `${executionId} ${fileId}`;
}
