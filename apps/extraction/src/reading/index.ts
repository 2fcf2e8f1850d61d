import { create, toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import { defaultLimits } from "./limits.ts";
import type { ReadLimits } from "./limits.ts";
import { isPdf } from "./pdf/signature.ts";
import { readerName } from "./reading.ts";
import type { Problem, Source } from "./reading.ts";
import type { WorkerAnswer } from "./worker.ts";

export { pageCount, pageTexts, plainText, getReader } from "./document-text.ts";
export type { TextOfPage, TextOptions } from "./document-text.ts";
export { readerName } from "./reading.ts";
export type { Problem } from "./reading.ts";
export type { ReadLimits } from "./limits.ts";

/** What was read from a document. */
export interface ReadResult {
  /** What it is, by its bytes where they tell, else as the sender said. */
  readonly contentType: string;
  /** Its text, a DocumentText in binary form; without lines when there is a problem. */
  readonly text: Uint8Array;
  /** Why it could not be read. */
  readonly problem?: Problem;
  /** What looks odd, as sentences for the log. */
  readonly warnings: readonly string[];
  /** What of it was not read because of a limit, as sentences for people. */
  readonly leftOut: readonly string[];
}

/** A document whose bytes may be fetched later, so that only those that are being read are in memory. */
export type LaterSource = Omit<Source, "bytes"> & {
  readonly bytes: Uint8Array | (() => Promise<Uint8Array<ArrayBuffer>>);
};

/** Reads documents in worker threads. */
export interface DocumentReader {
  /**
   * Reads a document. A bad one is a problem in the answer; rejects only for faults of ours, such as a closed reader. Bytes that are
   * given as a function are asked for once a thread is free for them, and their buffer is given to the thread; what the function throws
   * is thrown.
   */
  read(document: LaterSource): Promise<ReadResult>;
  /** Ends the worker threads; documents that are being read are rejected. */
  close(): Promise<void>;
}

/** How a reader works; what is left out has a default. */
export interface DocumentReaderOptions extends Partial<ReadLimits> {
  /** How many documents are read at a time, not counting up to as many again that take longer than two seconds. */
  readonly workers?: number;
  /** How long one document may take. */
  readonly timeoutMs?: number;
  /** How much memory a worker thread may hold, in MiB. */
  readonly memoryMb?: number;
}

/** Makes a reader; its threads start with the first documents and do not keep the process alive while they are idle. */
export function createDocumentReader(options: DocumentReaderOptions = {}): DocumentReader {
  const { workers = 2, timeoutMs = 20_000, memoryMb = 512, ...limits } = options;
  const pool = createPool<Source, WorkerAnswer>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: { ...defaultLimits, ...limits } satisfies ReadLimits,
    size: workers,
    timeoutMs,
    memoryMb,
    startTimeoutMs: 30_000,
    slowJobMs: 2_000,
    maxJobsPerWorker: 500,
    // A thread that has read ordinary documents holds some 50 to 70 MiB.
    maxIdleMb: 96,
    maxWaitingJobs: 1_000,
  });

  function toResult(contentType: string, outcome: Outcome<WorkerAnswer>): ReadResult {
    if (outcome.kind === "answer") return outcome.answer;
    const message = {
      time: `Reading the document took longer than ${timeoutMs / 1000} seconds.`,
      memory: `Reading the document took more than ${memoryMb} MiB of memory.`,
      crash: "The document cannot be read.",
    }[outcome.kind];
    return {
      contentType,
      text: toBinary(DocumentTextSchema, create(DocumentTextSchema, { reader: readerName })),
      problem: { code: ReadProblem.UNREADABLE_FILE, message },
      warnings: outcome.kind === "crash" ? [String(outcome.error)] : [],
      leftOut: [],
    };
  }

  return {
    async read({ bytes, filename, contentType }) {
      let pdf = false;
      const outcome = await pool.runLater(async () => {
        // Bytes that were not fetched for this may be a view of others (a Buffer is), and still be needed here.
        const given = typeof bytes === "function" ? await bytes() : new Uint8Array(bytes);
        pdf = isPdf(given);
        return { job: { bytes: given, filename, contentType }, transferred: [given.buffer] };
      });
      return toResult(pdf ? "application/pdf" : contentType || "application/octet-stream", outcome);
    },
    close: () => pool.close(),
  };
}
