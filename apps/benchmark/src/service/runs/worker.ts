import type { FailureReason } from "@switchyard/contracts/reasons";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Logger } from "@switchyard/rpc";
import { createLeaseWorker } from "@switchyard/storage";
import type { LeaseWorker } from "@switchyard/storage";
import type { Failure } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import type { ResultStore } from "../../store/results.ts";
import type { Run } from "./run.ts";
import type { BenchmarkSettings } from "../settings.ts";

/** Runs executions: new ones, and those that other processes left. */
export type Worker = LeaseWorker;

/** The dependencies of a {@link Worker}. `owner` is unique among all workers that have ever used the database. */
export interface WorkerDependencies {
  owner: string;
  /** Whether no other process uses the database any more. The leases of other workers are then released at once. */
  exclusive?: boolean;
  executions: ExecutionStore;
  results: ResultStore;
  run: Run;
  logger: Pick<Logger, "info" | "warn" | "error">;
  now: () => number;
  settings: Pick<
    BenchmarkSettings,
    "maxExecutions" | "leaseMs" | "heartbeatIntervalMs" | "sweepIntervalMs" | "stallTimeoutMs"
  >;
}

/** Creates the worker of one process. It also ends executions that do not progress, and removes the results of deleted ones. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { owner, exclusive = false, executions, results, run, logger, now, settings } = dependencies;

  async function failStalled(abandon: (executionId: string) => void): Promise<void> {
    const since = new Date(now() - settings.stallTimeoutMs);
    const failure = toStallFailure(settings.stallTimeoutMs);
    for (const id of await executions.failStalled(since, failure, new Date(now()), 100)) {
      logger.warn({ executionId: id }, "execution stalled");
      abandon(id);
    }
  }

  return createLeaseWorker({
    owner,
    noun: "execution",
    exclusive,
    store: executions,
    isUnfinished: ({ status }) => status === ExecutionStatus.RUNNING,
    run,
    async prepare({ abandon }) {
      await failStalled(abandon);
      for (const id of await executions.listRemovals(10)) {
        await results.removeAll(id);
        await executions.completeRemoval(id);
      }
    },
    logger,
    now,
    maxRunning: settings.maxExecutions,
    leaseMs: settings.leaseMs,
    heartbeatIntervalMs: settings.heartbeatIntervalMs,
    sweepIntervalMs: settings.sweepIntervalMs,
  });
}

function toStallFailure(stallTimeoutMs: number): Failure {
  return {
    code: "STALLED" satisfies FailureReason,
    message: `No file was completed for ${stallTimeoutMs / 1000} seconds.`,
  };
}
