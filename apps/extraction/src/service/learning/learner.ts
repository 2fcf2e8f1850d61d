import { createPool } from "@switchyard/threads";
import type { LearnerJob, LearnerResult } from "./learner-worker.ts";

/** Describes and learns on a thread of its own. */
export interface Learner {
  /** Runs a job. Resolves with undefined if it crashes or takes too long or too much memory. Rejects if the learner is closed. */
  run(job: LearnerJob): Promise<{ packed: Uint8Array; issuer: string | null } | undefined>;
  close(): Promise<void>;
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
      return outcome.kind === "result" && "packed" in outcome.result ? outcome.result : undefined;
    },
    close: () => pool.close(),
  };
}
