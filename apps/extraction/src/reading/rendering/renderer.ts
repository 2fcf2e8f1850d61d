import { createPool } from "@switchyard/threads";
import type { Rendering, RenderingJob } from "./rendering.ts";

export type { Rendering } from "./rendering.ts";

/** A page whose bytes are loaded when a thread is free; their buffer is transferred to it. */
export type LaterPage = Omit<RenderingJob, "bytes"> & { readonly bytes: () => Promise<Uint8Array<ArrayBuffer>> };

/** Draws the pages of files in a worker thread. */
export interface PageRenderer {
  /**
   * Draws a page. A file that takes too much time or memory has no pictures. Rejects if the renderer is closed or has too much to do, with the errors
   * of `bytes`, and with the signal's reason when it is aborted.
   */
  render(page: LaterPage, signal?: AbortSignal): Promise<Rendering>;
  /** Ends the thread. */
  close(): Promise<void>;
}

/** The time limit for a page, in milliseconds. */
const timeoutMs = 20_000;

/** Creates a renderer. Its thread starts with the first page and ends a minute after the last one, because decoded pictures hold memory. */
export function createPageRenderer(): PageRenderer {
  const pool = createPool<RenderingJob, Rendering>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: undefined,
    size: 1,
    timeoutMs,
    memoryMb: 512,
    startTimeoutMs: 60_000,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: 200,
    spareTimeoutMs: 60_000,
    endsLast: true,
    maxWaitingJobs: 100,
  });
  return {
    async render({ bytes, ...page }, signal) {
      const outcome = await pool.runLater(async () => {
        const given = await bytes();
        return { job: { ...page, bytes: given }, transferred: [given.buffer] };
      }, signal);
      if (outcome.kind === "result") return outcome.result;
      return { kind: "unsupported", message: "Drawing the page takes too much time or memory." };
    },
    close: () => pool.close(),
  };
}
