import { createPool } from "@switchyard/threads";
import type { Outcome } from "@switchyard/threads";
import type { ModelFiles } from "./model-files.ts";
import { getTransferred } from "./picture/page-picture.ts";
import type { RecognitionJob, RecognizedPage } from "./worker.ts";

/** The time limit for the picture of a page, in milliseconds. A dense page takes a few seconds on a processor that is not busy. */
const timeoutMs = 60_000;

/** Recognizes the pictures of pages in a worker thread. */
export interface RecognitionPool {
  /**
   * Recognizes a picture; its buffers are transferred to the thread. Rejects if the pool is closed or full, and with the signal's reason
   * when it is aborted.
   */
  recognize(job: RecognitionJob, signal?: AbortSignal): Promise<Outcome<RecognizedPage>>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/**
 * Creates a pool whose thread starts with the first picture and ends when none has come for a minute, because it holds some hundred
 * mebibytes outside of V8's heap. The limits on pixels bound that memory, and the thread is replaced regularly, because WebAssembly does not
 * return memory. There is one thread: recognition needs a whole processor, which other documents need too. `files` are the paths of the models.
 */
export function createRecognitionPool(files: ModelFiles): RecognitionPool {
  const pool = createPool<RecognitionJob, RecognizedPage>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: files,
    size: 1,
    timeoutMs,
    memoryMb: 1_024,
    startTimeoutMs: 60_000,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: 100,
    spareTimeoutMs: 60_000,
    endsLast: true,
    maxWaitingJobs: 200,
  });
  return {
    recognize: (job, signal) =>
      pool.runLater(() => Promise.resolve({ job, transferred: getTransferred(job.picture) }), signal),
    close: () => pool.close(),
  };
}
