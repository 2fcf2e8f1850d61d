import type { FileResultStatus, OutcomeCounts } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { toBytes, removeInBatches } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { FileScore } from "../domain/files/file-score.ts";
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
  /** The fence of the lease under which it was made. */
  fence: number;
  finishedAt: Date;
}

interface ResultDocument extends ResultRecord {
  /** Execution and entry. */
  _id: string;
  /** The whole score as compressed JSON, so that runs can be compared cell by cell. */
  score: Buffer;
}

/** A result on its way into the store. */
export interface NewResult {
  record: ResultRecord;
  score: Uint8Array;
}

/**
 * Results of files. One counts when its execution lists its entry, which only the holder of the execution's lease can bring about, by one
 * write; so no result counts twice, none of a worker that lost its lease, and no worker that stops halfway holds up the others.
 */
export interface ResultStore {
  /** Stores results, which do not count yet. */
  insert(results: readonly NewResult[]): Promise<void>;
  /** Takes back results that will never count. */
  discard(results: readonly NewResult[]): Promise<void>;
  /** Those with a status, or all, in the order of files, whether they count or not. Read as they are asked for, `batch` at a time. */
  list(executionId: string, query: ResultQuery): AsyncIterable<ResultRecord>;
  /** The scores of those with these entries, in their order, a few at a time. */
  scores(executionId: string, entries: readonly number[]): AsyncIterable<FileScore>;
  /** All of a file, whether they count or not. */
  ofFile(executionId: string, fileId: string): Promise<ResultRecord[]>;
  score(record: ResultRecord): Promise<FileScore | null>;
  removeAll(executionId: string): Promise<void>;
}

/** Which results of an execution are wanted. */
export interface ResultQuery {
  status?: FileResultStatus | undefined;
  /** Only those of files after this place; -1 for all. */
  after: number;
  batch: number;
}

/** More files than any execution has. */
const places = 16_384;

/** What names the result of a file among all that were made of it: by the file's place and the fence of the lease. */
export function toEntry({ place, fence }: Pick<ResultRecord, "place" | "fence">): number {
  return fence * places + place;
}

/** The place of an entry's file. */
export function toPlace(entry: number): number {
  return entry % places;
}

const scoresAtOnce = 50;
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
  schema.index({ executionId: 1, fileId: 1 });
  schema.index({ executionId: 1, place: 1 });
  schema.index({ executionId: 1, status: 1, place: 1 });
  const results = connection.model<ResultDocument>("Result", schema, "results");

  return {
    async insert(added) {
      await results.insertMany(
        added.map(({ record, score }) => ({ _id: key(record), ...record, score: Buffer.from(score) })),
      );
    },

    async discard(added) {
      await results.deleteMany({ _id: mongoose.trusted({ $in: added.map(({ record }) => key(record)) }) });
    },

    list(executionId, { status, after, batch }) {
      const ofStatus = status === undefined ? {} : { status };
      return results
        .find({ executionId, ...ofStatus, place: mongoose.trusted({ $gt: after }) }, withoutScore)
        .sort({ place: 1 })
        .lean()
        .cursor({ batchSize: batch });
    },

    async *scores(executionId, entries) {
      for (let from = 0; from < entries.length; from += scoresAtOnce) {
        const ids = entries.slice(from, from + scoresAtOnce).map((entry) => `${executionId} ${entry}`);
        const found = await results.find({ _id: mongoose.trusted({ $in: ids }) }, { score: 1, place: 1 }).lean();
        found.sort((one, other) => one.place - other.place);
        for (const { score } of found) yield await unpackScore(score);
      }
    },

    ofFile: (executionId, fileId) => results.find({ executionId, fileId }, withoutScore).lean(),

    async score(record) {
      const found = await results.findById(key(record), { score: 1 }).lean();
      return found === null ? null : unpackScore(found.score);
    },

    async removeAll(executionId) {
      await removeInBatches(results, { executionId });
    },
  };
}

/** A score as it is stored. */
export async function packScore(score: FileScore): Promise<Uint8Array> {
  return promisify(deflate)(JSON.stringify(score));
}

async function unpackScore(bytes: Uint8Array | { value(): unknown }): Promise<FileScore> {
  return JSON.parse((await promisify(inflate)(toBytes(bytes))).toString("utf8")) as FileScore;
}

function key(record: Pick<ResultRecord, "executionId" | "place" | "fence">): string {
  return `${record.executionId} ${toEntry(record)}`;
}
