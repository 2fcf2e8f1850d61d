import { create, toBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import { defaultLimits } from "./limits.ts";
import type { ReadLimits } from "./limits.ts";
import { isPdf } from "./pdf/signature.ts";
import { getReaderName } from "./reading.ts";
import type { Problem, Source } from "./reading.ts";
import { completeWithPictures } from "./recognition/completion.ts";
import { getInstalledModels } from "./recognition/model-files.ts";
import type { OwnModels } from "./recognition/model-files.ts";
import { createRecognitionPool } from "./recognition/pool.ts";
import { createPageRenderer } from "./rendering/renderer.ts";
import type { PageRenderer } from "./rendering/renderer.ts";
import type { WorkerResult, WorkerSettings } from "./worker.ts";

export { pageCount, pageTexts, plainText, getReader } from "./document-text.ts";
export type { TextOfPage, TextOptions } from "./document-text.ts";
export { mayBeText } from "./decoding.ts";
export { getReaderName } from "./reading.ts";
export { findOwnModels, modelNames } from "./recognition/model-files.ts";
export type { OwnModels } from "./recognition/model-files.ts";
export type { Problem } from "./reading.ts";
export type { ReadLimits } from "./limits.ts";
export type { Rendering } from "./rendering/renderer.ts";

/** The result of reading a document. */
export interface ReadResult {
  /** The content type, detected from the bytes if possible, and otherwise as the sender declared it. */
  readonly contentType: string;
  /** The text, a DocumentText in binary form. It has no lines if there is a problem. */
  readonly text: Uint8Array;
  /** The reason why the document could not be read. */
  readonly problem?: Problem;
  /** Irregularities, as sentences for the log. */
  readonly warnings: readonly string[];
  /** The parts that were not read because of a limit, as sentences. */
  readonly omissions: readonly string[];
  /** A sentence if the document contains text that people cannot see. The text of the document does not contain it. */
  readonly hiddenText?: string;
  /** A sentence if the text of some pictures was recognized poorly. */
  readonly poorQuality?: string;
}

/** A document whose bytes can be loaded later, so that only documents that are being read are in memory. */
export type LaterSource = Omit<Source, "bytes"> & {
  readonly bytes: Uint8Array | (() => Promise<Uint8Array<ArrayBuffer>>);
};

/** Reads documents in worker threads. */
export interface DocumentReader {
  /** The name and version of the reader. Other versions may give another text for the same bytes. */
  readonly version: string;
  /**
   * Reads a document. If it cannot be read, the result contains the problem. Rejects only for internal errors, for example if the reader is
   * closed. Bytes that are given as a function are loaded when a thread is free, and their buffer is transferred to the thread. Errors of
   * the function are rethrown. When the signal is aborted, reading stops and the promise rejects with the signal's reason.
   */
  read(document: LaterSource, signal?: AbortSignal): Promise<ReadResult>;
  /** Draws a page, as `PageRenderer` does. */
  render: PageRenderer["render"];
  /** Ends the worker threads. Documents that are being read are rejected. */
  close(): Promise<void>;
}

/** The options of a reader. All have defaults. */
export interface DocumentReaderOptions extends Partial<ReadLimits> {
  /** The number of documents that are read at the same time, without up to as many again that take longer than two seconds. */
  readonly workers?: number;
  /** The time limit for a document, in milliseconds. */
  readonly timeoutMs?: number;
  /** The memory limit of a worker thread, in MiB. */
  readonly memoryMb?: number;
  /** The number of pictures that are recognized at the same time. */
  readonly parallelPictures?: number;
  /** Models for pictures; the installed ones by default. */
  readonly models?: OwnModels | undefined;
}

/** Creates a reader. Its threads start with the first documents, and do not keep the process alive while they are idle. */
export function createDocumentReader(options: DocumentReaderOptions = {}): DocumentReader {
  const { workers = 2, timeoutMs = 20_000, memoryMb = 512, parallelPictures, models, ...others } = options;
  const limits: ReadLimits = { ...defaultLimits, ...others };
  const version = getReaderName(limits, models?.fingerprint);
  const recognition = createRecognitionPool(models?.files ?? getInstalledModels(), parallelPictures);
  const renderer = createPageRenderer();
  const pool = createPool<Source, WorkerResult>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: { limits, reader: version } satisfies WorkerSettings,
    size: workers,
    timeoutMs,
    memoryMb,
    startTimeoutMs: 30_000,
    slowJobMs: 2_000,
    maxJobsPerWorker: 5_000,
    // A thread that has read typical documents holds 50 to 70 MiB.
    maxIdleMb: 96,
    maxWaitingJobs: 1_000,
  });

  function toFailure(contentType: string, outcome: Exclude<Outcome<WorkerResult>, { kind: "result" }>): ReadResult {
    const message = {
      time: `Reading the document took longer than ${timeoutMs / 1000} seconds.`,
      memory: `Reading the document took more than ${memoryMb} MiB of memory.`,
      crash: "The document cannot be read.",
    }[outcome.kind];
    return {
      contentType,
      text: toBinary(DocumentTextSchema, create(DocumentTextSchema, { reader: version })),
      problem: { code: ReadProblem.UNREADABLE_FILE, message },
      warnings: outcome.kind === "crash" ? [String(outcome.error)] : [],
      omissions: [],
    };
  }

  return {
    version,
    async read({ bytes, filename, contentType }, signal) {
      let pdf = false;
      const outcome = await pool.runLater(async () => {
        // Bytes that were not loaded for this call may be a view of a larger buffer that is still in use.
        const given = typeof bytes === "function" ? await bytes() : new Uint8Array(bytes);
        pdf = isPdf(given);
        return { job: { bytes: given, filename, contentType }, transferred: [given.buffer] };
      }, signal);
      if (outcome.kind === "result") return completeWithPictures(outcome.result, recognition, signal);
      return toFailure(pdf ? "application/pdf" : contentType || "application/octet-stream", outcome);
    },
    render: (page, signal) => renderer.render(page, signal),
    async close() {
      await Promise.all([pool.close(), recognition.close(), renderer.close()]);
    },
  };
}
