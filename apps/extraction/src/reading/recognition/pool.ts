import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import { setImmediate } from "node:timers/promises";
import PQueue from "p-queue";
import type { ModelFiles } from "./model-files.ts";
import { getTransferred } from "./picture/page-picture.ts";
import type { RecognitionJob, RecognizedPage } from "./worker.ts";

/** The time limit for the picture of a page, in milliseconds. A dense page takes a few seconds on a processor that is not busy. */
const timeoutMs = 60_000;

/** The maximum number of documents that wait. */
const maxWaiting = 200;

/** Recognizes the pictures of pages in worker threads. */
export interface RecognitionPool {
  /**
   * Recognizes a picture; its buffers are transferred to the thread. `left` is the number of pictures that its document still has, with
   * this one: those of documents with fewer come first, so that a photograph does not wait for all pages of a scan, and of two long scans
   * one is ready in time. Rejects if the pool is closed or full, and with the signal's reason when it is aborted.
   */
  recognize(job: RecognitionJob, left: number, signal?: AbortSignal): Promise<Outcome<RecognizedPage>>;
  /** Ends the threads. */
  close(): Promise<void>;
}

/**
 * Creates a pool of `threads` threads, each for one picture at a time. They start when pictures come and end when none has come for a minute,
 * because each holds some hundred mebibytes outside of V8's heap. The limits on pixels bound that memory, and threads are replaced regularly,
 * because WebAssembly does not return memory. `files` are the paths of the models.
 */
export function createRecognitionPool(files: ModelFiles, threads = 1): RecognitionPool {
  const pool = createPool<RecognitionJob, RecognizedPage>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: files,
    size: threads,
    timeoutMs,
    memoryMb: 1_024,
    startTimeoutMs: 60_000,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: 100,
    spareTimeoutMs: 60_000,
    endsLast: true,
    maxWaitingJobs: maxWaiting,
  });
  const queue = new PQueue({ concurrency: threads });
  const run = (job: RecognitionJob, signal: AbortSignal | undefined): Promise<Outcome<RecognizedPage>> =>
    pool.runLater(() => Promise.resolve({ job, transferred: getTransferred(job.picture) }), signal);
  // A document adds its next picture before another one begins.
  const endTurn = (): Promise<void> => setImmediate();
  const toOptions = (left: number, signal: AbortSignal | undefined) => ({ priority: -left, ...(signal && { signal }) });
  return {
    recognize(job, left, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<RecognizedPage>>();
      if (queue.size >= maxWaiting) reject(new Error("too many pictures wait"));
      else queue.add(() => run(job, signal).then(resolve, reject).then(endTurn), toOptions(left, signal)).catch(reject);
      return promise;
    },
    close: () => pool.close(),
  };
}
