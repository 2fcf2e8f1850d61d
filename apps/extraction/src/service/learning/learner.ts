import { createPool } from "@switchyard/threads";
import type { LearnerJob, LearnerResult } from "./learner-worker.ts";

/** Describes and learns on a thread of its own. */
export interface Learner {
  /** Runs a job. Resolves with an error if it crashes or takes too long or too much memory. Rejects if the learner is closed. */
  run(job: LearnerJob): Promise<LearnerResult>;
  close(): Promise<void>;
}

/** The minimum pause before a failed job is tried again, in milliseconds. */
const minPauseMs = 60_000;
/** The minimum pause relative to the duration of the failed job, so that jobs that always time out leave the thread to others. */
const relativePause = 10;

/** Returns the time from which a job that failed is tried again. */
export function getRetryTime(startedAt: number, failedAt: number): number {
  return failedAt + Math.max(minPauseMs, relativePause * (failedAt - startedAt));
}

/** Creates a learner with one thread, which starts with the first job and ends when it is not used. */
export function createLearner({ timeoutMs, memoryMb }: { timeoutMs: number; memoryMb: number }): Learner {
  const pool = createPool<LearnerJob, LearnerResult>({
    url: new URL("./learner-worker.ts", import.meta.url),
    workerData: undefined,
    size: 1,
    timeoutMs,
    memoryMb,
    startTimeoutMs: 30_000,
    slowJobMs: timeoutMs,
    maxJobsPerWorker: 5_000,
    maxIdleMb: 96,
    endsLast: true,
    maxWaitingJobs: 10_000,
  });
  return {
    async run(job) {
      const outcome = await pool.run(job);
      switch (outcome.kind) {
        case "result":
          return outcome.result;
        case "time":
          return { error: "It took too long." };
        case "memory":
          return { error: "It needed too much memory." };
        case "crash":
          return { error: `The thread crashed: ${String(outcome.error)}` };
      }
    },
    close: () => pool.close(),
  };
}
