import type { FailureReason } from "@switchyard/contracts/reasons";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Logger } from "@switchyard/rpc";
import { createLeaseSweep, createSweep } from "@switchyard/storage";
import type { ExecutionRecord, Failure } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import type { ResultStore } from "../../store/results.ts";
import type { Run } from "./run.ts";
import type { BenchmarkSettings } from "../settings.ts";

/** Runs executions: new ones, and those that other processes left. */
export interface Worker {
  /** Looks for executions at once, without waiting for the next interval. */
  wake(): void;
  /** Stops running an execution if this process runs it. */
  abandon(executionId: string): void;
  start(): void;
  /** Releases unfinished executions, so that others can acquire them at once. */
  stop(): Promise<void>;
}

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

interface RunningExecution {
  readonly execution: ExecutionRecord;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Creates the worker of one process. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { owner, exclusive = false, executions, results, run, logger, now, settings } = dependencies;
  const running = new Map<string, RunningExecution>();
  let stopping = false;
  let othersReleased = !exclusive;
  const getLeaseEnd = () => new Date(now() + settings.leaseMs);

  function startRun(execution: ExecutionRecord): void {
    const { _id, lease } = execution;
    logger.info({ executionId: _id, fence: lease.fence }, "execution acquired");
    const stop = new AbortController();
    const done = run(execution, stop.signal)
      // The lease expires, and then a worker acquires the execution again.
      .catch((error: unknown) => logger.error({ executionId: _id, err: error }, "execution interrupted"))
      .finally(() => {
        running.delete(_id);
        sweeper.touch();
      });
    running.set(_id, { execution, stop, done });
    heartbeat.touch();
  }

  async function failStalled(): Promise<void> {
    const since = new Date(now() - settings.stallTimeoutMs);
    for (const id of await executions.failStalled(
      since,
      toStallFailure(settings.stallTimeoutMs),
      new Date(now()),
      100,
    )) {
      logger.warn({ executionId: id }, "execution stalled");
      abandon(id);
    }
  }

  async function sweep(): Promise<void> {
    if (stopping) return;
    if (!othersReleased) await executions.releaseOthers(owner);
    othersReleased = true;
    await executions.releaseFuture(new Date(now()));
    await failStalled();
    for (const id of await executions.listRemovals(10)) {
      await results.removeAll(id);
      await executions.completeRemoval(id);
    }
    const freeSlots = settings.maxExecutions - running.size;
    if (freeSlots <= 0) return;
    // The leases of this process may have expired too, if the whole process was paused.
    for (const { _id } of await executions.listDue(new Date(now()), freeSlots + running.size)) {
      if (running.has(_id) || running.size >= settings.maxExecutions || stopping) continue;
      const acquired = await executions.acquire(_id, owner, new Date(now()), getLeaseEnd());
      if (acquired !== null) startRun(acquired);
    }
  }

  const sweeper = createLeaseSweep({
    intervalMs: settings.sweepIntervalMs,
    leaseMs: settings.leaseMs,
    exclusive,
    leases: executions,
    work: sweep,
    onError: (error) => logger.error({ err: error }, "sweep of executions failed"),
    now,
  });

  /** Renews the leases, and abandons executions that have ended or that another worker has acquired. */
  const heartbeat = createSweep({
    intervalMs: settings.heartbeatIntervalMs,
    idles: () => true,
    async work() {
      const ids = [...running.keys()];
      if (ids.length === 0) return;
      heartbeat.touch();
      await executions.renewLeases(ids, owner, new Date(now()), getLeaseEnd());
      const current = new Map((await executions.listByIds(ids)).map((execution) => [execution._id, execution]));
      for (const id of ids) {
        const found = current.get(id);
        const isOwn = found?.lease.owner === owner && found.lease.fence === running.get(id)?.execution.lease.fence;
        if (!isOwn || found.status !== ExecutionStatus.RUNNING) abandon(id);
      }
    },
    onError: (error) => logger.error({ err: error }, "renewal of leases failed"),
  });

  function abandon(executionId: string): void {
    running.get(executionId)?.stop.abort(new Error("this worker no longer holds the execution"));
  }

  return {
    wake: () => void sweeper.now(),
    abandon,
    start() {
      sweeper.start();
      heartbeat.start();
      void sweeper.now();
    },
    async stop() {
      stopping = true;
      await sweeper.stop();
      await heartbeat.stop();
      const left = [...running.values()];
      for (const { stop } of left) stop.abort(new Error("the service is stopping"));
      await Promise.all(left.map(({ done }) => done));
      for (const { execution } of left) await executions.release(execution._id, execution.lease);
    },
  };
}

function toStallFailure(stallTimeoutMs: number): Failure {
  return {
    code: "STALLED" satisfies FailureReason,
    message: `No file was completed for ${stallTimeoutMs / 1000} seconds.`,
  };
}
