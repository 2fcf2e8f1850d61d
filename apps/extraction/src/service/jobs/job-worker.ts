import { JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import type { Logger } from "@switchyard/rpc";
import { createLeaseWorker } from "@switchyard/storage";
import type { LeaseWorker } from "@switchyard/storage";
import type { JobRecord, JobStore } from "../../store/jobs.ts";
import type { ServiceSettings } from "../settings.ts";

/** The dependencies of the worker. `owner` is unique among all workers that have ever used the database. */
export interface JobWorkerDependencies {
  owner: string;
  exclusive: boolean;
  jobs: JobStore;
  run: (job: JobRecord, signal: AbortSignal) => Promise<void>;
  logger: Pick<Logger, "info" | "warn" | "error">;
  now: () => number;
  settings: Pick<
    ServiceSettings,
    "leaseMs" | "heartbeatIntervalMs" | "sweepIntervalMs" | "maxJobs" | "jobStallTimeoutMs"
  >;
}

/** Creates the worker of one process: it runs new jobs and those that other processes left, and fails those that do not progress. */
export function createJobWorker(dependencies: JobWorkerDependencies): LeaseWorker {
  const { owner, exclusive, jobs, run, logger, now, settings } = dependencies;
  return createLeaseWorker({
    owner,
    noun: "job",
    exclusive,
    store: jobs,
    isUnfinished: ({ status }) => status === JobStatus.RUNNING,
    run,
    async prepare({ abandon }) {
      const since = new Date(now() - settings.jobStallTimeoutMs);
      for (const id of await jobs.failStalled(since, new Date(now()), 100)) {
        logger.warn({ jobId: id }, "job stalled");
        abandon(id);
        await jobs.forgetFiles(id);
      }
    },
    logger,
    now,
    maxRunning: settings.maxJobs,
    leaseMs: settings.leaseMs,
    heartbeatIntervalMs: settings.heartbeatIntervalMs,
    sweepIntervalMs: settings.sweepIntervalMs,
  });
}
