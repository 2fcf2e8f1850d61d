import { createPool } from "@switchyard/threads";
import type { Learned, LearningJob } from "./worker.ts";

/** Learns in a worker thread of its own, so that neither requests nor the scoring of documents wait for it. */
export interface LearningThread {
  /** Learns from texts. Rejects if the thread fails. */
  learn(job: LearningJob): Promise<Learned>;
  /** Ends the thread. Pending calls are rejected. */
  close(): Promise<void>;
}

const timeoutMs = 120_000;

/** Creates the thread. It starts with the first call, and does not keep the process alive while it is idle. */
export function createLearningThread(): LearningThread {
  const pool = createPool<LearningJob, Learned>({
    url: new URL("./worker.ts", import.meta.url),
    workerData: {},
    size: 1,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: Infinity,
    timeoutMs,
    memoryMb: 1_024,
    maxIdleMb: 256,
    startTimeoutMs: 30_000,
    maxWaitingJobs: 10_000,
  });
  return {
    async learn(job) {
      const outcome = await pool.run(job);
      if (outcome.kind === "result") return outcome.result;
      if (outcome.kind === "crash") throw new Error("the thread that learns failed", { cause: outcome.error });
      throw new Error(`learning exceeded its limit of ${outcome.kind}`);
    },
    close: () => pool.close(),
  };
}
