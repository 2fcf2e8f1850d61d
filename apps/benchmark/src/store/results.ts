import type { FileResultStatus, OutcomeCounts } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { toBytes, removeInBatches } from "@switchyard/storage";
import mongoose from "mongoose";
import type { Connection } from "mongoose";
import { promisify } from "node:util";
import { deflate, inflate } from "node:zlib";
import type { FileScore } from "../domain/files/file-score.ts";
import type { Typing } from "../domain/summary/savings.ts";
import type { Usage } from "@switchyard/statistics";
import type { Failure } from "./execution-documents.ts";

/** The result of a file without its cells. */
export interface ResultRecord {
  executionId: string;
  fileId: string;
  filename: string;
  /** The index of the file in the plan of the execution. */
  place: number;
  status: FileResultStatus;
  /** The reason why it failed, or null. */
  error: Failure | null;
  outcomes: Record<keyof Omit<OutcomeCounts, "$typeName" | "$unknown">, number>;
  anls: number;
  exact: boolean;
  extractMs: number | null;
  /** What a person need not type. Absent from older results. */
  typing?: Typing;
  /** What a language model used, or null. Absent from older results. */
  usage?: Usage | null;
  /** The files whose accepted values the engine did not use. */
  excludedFileIds: string[];
  /** The fence of the lease that the worker held. */
  fence: number;
  finishedAt: Date;
}

interface ResultDocument extends ResultRecord {
  /** The ID of the execution, and the entry (see {@link toEntry}). */
  _id: string;
  /** The whole score as compressed JSON. */
  score: Buffer;
  /** The outcomes of the cells (see `packOutcomes`), so that runs can be compared. Absent from older results. */
  grid?: Buffer;
  /** The places at which the values of the cells were found (see `packPlaces`). Absent from older results. */
  places?: Buffer;
}

/** A result that is to be stored. */
export interface NewResult {
  record: ResultRecord;
  score: Uint8Array;
  /** The packed outcomes of the cells. */
  grid: Uint8Array;
  /** The packed places of the cells. */
  places: Uint8Array;
}

/** What a comparison of runs needs of a result. */
export interface ComparedRecord extends Pick<
  ResultRecord,
  "executionId" | "fileId" | "place" | "fence" | "status" | "anls"
> {
  /** The packed outcomes of the cells, or null in an older result. */
  grid: Uint8Array | null;
}

/**
 * Stores the results of files. A result counts if its execution lists its entry. Only the holder of the lease can add entries, with one
 * write. Therefore no result counts twice, no result counts after its worker lost the lease, and a worker that stops halfway blocks no
 * other.
 */
export interface ResultStore {
  /** Stores results. They do not count yet. */
  insert(results: readonly NewResult[]): Promise<void>;
  /** Deletes results that will never count. */
  discard(results: readonly NewResult[]): Promise<void>;
  /** Lists results in the order of files, whether they count or not. Reads `batch` results at a time, on demand. */
  list(executionId: string, query: ResultQuery): AsyncIterable<ResultRecord>;
  /** Reads the scores of the results with these entries, in their order, in batches. */
  readScores(executionId: string, entries: readonly number[]): AsyncIterable<FileScore>;
  /** Reads what comparisons need, in the order of files, whether the results count or not, and in batches on demand. */
  readCompared(executionId: string): AsyncIterable<ComparedRecord>;
  /** Lists the results of a file, whether they count or not. */
  listByFile(executionId: string, fileId: string): Promise<ResultRecord[]>;
  findScore(record: Pick<ResultRecord, "executionId" | "place" | "fence">): Promise<FileScore | null>;
  /** Reads the packed places of the cells of a result, or null of an older one. */
  findPlaces(record: Pick<ResultRecord, "executionId" | "place" | "fence">): Promise<Uint8Array | null>;
  removeAll(executionId: string): Promise<void>;
}

/** Selects results of an execution. */
export interface ResultQuery {
  status?: FileResultStatus | undefined;
  /** Only results of files after this index; -1 for all. */
  after: number;
  batch: number;
}

/** A number that is greater than the maximum number of files. */
const fenceFactor = 16_384;

/** Returns the entry of a result. It identifies the result within its execution by the index of the file and the fence of the lease. */
export function toEntry({ place, fence }: Pick<ResultRecord, "place" | "fence">): number {
  return fence * fenceFactor + place;
}

/** Returns the index of the file of an entry. */
export function toPlace(entry: number): number {
  return entry % fenceFactor;
}

const scoreBatchSize = 50;
const comparedBatchSize = 250;
const withoutScore = { score: 0, grid: 0, places: 0, _id: 0 } as const;
const comparedFields = { _id: 0, executionId: 1, fileId: 1, place: 1, fence: 1, status: 1, anls: 1, grid: 1 } as const;

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
      typing: { type: new mongoose.Schema({ cells: Number, keystrokes: Number }, { _id: false }) },
      usage: {
        type: new mongoose.Schema({ inputTokens: Number, outputTokens: Number, cost: Number }, { _id: false }),
        default: null,
      },
      excludedFileIds: { type: [String], default: [] },
      fence: { type: Number, required: true },
      finishedAt: { type: Date, required: true },
      score: { type: Buffer, required: true },
      grid: { type: Buffer },
      places: { type: Buffer },
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
        added.map(({ record, score, grid, places }) => ({
          _id: toId(record),
          ...record,
          score: Buffer.from(score),
          grid: Buffer.from(grid),
          places: Buffer.from(places),
        })),
      );
    },

    async discard(added) {
      await results.deleteMany({ _id: mongoose.trusted({ $in: added.map(({ record }) => toId(record)) }) });
    },

    list(executionId, { status, after, batch }) {
      const statusFilter = status === undefined ? {} : { status };
      return results
        .find({ executionId, ...statusFilter, place: mongoose.trusted({ $gt: after }) }, withoutScore)
        .sort({ place: 1 })
        .lean()
        .cursor({ batchSize: batch });
    },

    async *readScores(executionId, entries) {
      for (let from = 0; from < entries.length; from += scoreBatchSize) {
        const ids = entries.slice(from, from + scoreBatchSize).map((entry) => `${executionId} ${entry}`);
        const found = await results.find({ _id: mongoose.trusted({ $in: ids }) }, { score: 1, place: 1 }).lean();
        found.sort((one, other) => one.place - other.place);
        for (const { score } of found) yield await unpackScore(score);
      }
    },

    async *readCompared(executionId) {
      const found = results
        .find({ executionId }, comparedFields)
        .sort({ place: 1 })
        .lean()
        .cursor({ batchSize: comparedBatchSize });
      for await (const { grid, ...record } of found)
        yield { ...record, grid: grid === undefined || grid === null ? null : toBytes(grid) };
    },

    listByFile: (executionId, fileId) => results.find({ executionId, fileId }, withoutScore).lean(),

    async findScore(record) {
      const found = await results.findById(toId(record), { score: 1 }).lean();
      return found === null ? null : unpackScore(found.score);
    },

    async findPlaces(record) {
      const found = await results.findById(toId(record), { places: 1 }).lean();
      return found?.places === undefined ? null : toBytes(found.places);
    },

    async removeAll(executionId) {
      await removeInBatches(results, { executionId });
    },
  };
}

/** Compresses a score for storage. */
export async function packScore(score: FileScore): Promise<Uint8Array> {
  return promisify(deflate)(JSON.stringify(score));
}

async function unpackScore(bytes: Uint8Array | { value(): unknown }): Promise<FileScore> {
  return JSON.parse((await promisify(inflate)(toBytes(bytes))).toString("utf8")) as FileScore;
}

function toId(record: Pick<ResultRecord, "executionId" | "place" | "fence">): string {
  return `${record.executionId} ${toEntry(record)}`;
}
