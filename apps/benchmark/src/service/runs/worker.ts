import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Logger } from "@switchyard/rpc";
import { createSweep } from "@switchyard/storage";
import type { ExecutionRecord, Failure } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import type { ResultStore } from "../../store/results.ts";
import type { Run } from "./run.ts";
import type { BenchmarkSettings } from "../settings.ts";

/** Works on executions, those of this process and those that others left. */
export interface Worker {
  /** Looks for executions at once, instead of at the next round. */
  nudge(): void;
  /** Stops working on an execution of this process, if it is one. */
  drop(executionId: string): void;
  start(): void;
  /** Gives back what is not finished, for others to take at once. */
  stop(): Promise<void>;
}

/** What a worker needs. `owner` names it among all workers of the database, also among those of the past. */
export interface WorkerDependencies {
  owner: string;
  /** Whether every other worker that ever used the database is known to be gone: what they held is free at once then. */
  alone?: boolean;
  executions: ExecutionStore;
  results: ResultStore;
  run: Run;
  logger: Pick<Logger, "info" | "warn" | "error">;
  now: () => number;
  settings: Pick<
    BenchmarkSettings,
    "executions" | "leaseMs" | "heartbeatIntervalMs" | "sweepIntervalMs" | "stallTimeoutMs"
  >;
}

interface Held {
  readonly execution: ExecutionRecord;
  readonly stop: AbortController;
  readonly done: Promise<void>;
}

/** Creates the worker of one process. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { owner, alone = false, executions, results, run, logger, now, settings } = dependencies;
  const held = new Map<string, Held>();
  let stopping = false;
  let othersAreFreed = !alone;
  const until = () => new Date(now() + settings.leaseMs);

  function begin(execution: ExecutionRecord): void {
    const { _id, lease } = execution;
    logger.info({ executionId: _id, fence: lease.fence }, "execution taken");
    const stop = new AbortController();
    const done = run(execution, stop.signal)
      // The lease runs out, and somebody takes it over.
      .catch((error: unknown) => logger.error({ executionId: _id, err: error }, "execution broke off"))
      .finally(() => held.delete(_id));
    held.set(_id, { execution, stop, done });
  }

  async function failStalled(): Promise<void> {
    const since = new Date(now() - settings.stallTimeoutMs);
    for (const id of await executions.failStalled(since, stalled(settings.stallTimeoutMs), new Date(now()), 100)) {
      logger.warn({ executionId: id }, "execution stalled");
      drop(id);
    }
  }

  async function sweep(): Promise<void> {
    if (stopping) return;
    if (!othersAreFreed) await executions.freeOthers(owner);
    othersAreFreed = true;
    await executions.freeFuture(new Date(now()));
    await failStalled();
    for (const id of await executions.removals(10)) {
      await results.removeAll(id);
      await executions.removed(id);
    }
    const room = settings.executions - held.size;
    if (room <= 0) return;
    // Its own ones may be late as well, after a pause of the whole process.
    for (const { _id } of await executions.due(new Date(now()), room + held.size)) {
      if (held.has(_id) || held.size >= settings.executions || stopping) continue;
      const taken = await executions.take(_id, owner, new Date(now()), until());
      if (taken !== null) begin(taken);
    }
  }

  const sweeper = createSweep({
    intervalMs: settings.sweepIntervalMs,
    work: sweep,
    onError: (error) => logger.error({ err: error }, "looking for executions failed"),
  });

  /** A sign of life, and a look at whether somebody ended the run or took it over. */
  const heart = createSweep({
    intervalMs: settings.heartbeatIntervalMs,
    async work() {
      const ids = [...held.keys()];
      if (ids.length === 0) return;
      await executions.extend(ids, owner, new Date(now()), until());
      const current = new Map((await executions.withIds(ids)).map((execution) => [execution._id, execution]));
      for (const id of ids) {
        const found = current.get(id);
        const mine = found?.lease.owner === owner && found.lease.fence === held.get(id)?.execution.lease.fence;
        if (!mine || found.status !== ExecutionStatus.RUNNING) drop(id);
      }
    },
    onError: (error) => logger.error({ err: error }, "extending leases failed"),
  });

  function drop(executionId: string): void {
    held.get(executionId)?.stop.abort(new Error("The execution is no longer this worker's"));
  }

  return {
    nudge: () => void sweeper.now(),
    drop,
    start() {
      sweeper.start();
      heart.start();
      void sweeper.now();
    },
    async stop() {
      stopping = true;
      await sweeper.stop();
      await heart.stop();
      const left = [...held.values()];
      for (const { stop } of left) stop.abort(new Error("The service is being stopped"));
      await Promise.all(left.map(({ done }) => done));
      for (const { execution } of left) await executions.release(execution._id, execution.lease);
    },
  };
}

function stalled(stallTimeoutMs: number): Failure {
  return { code: "STALLED", message: `No file was finished for ${stallTimeoutMs / 1000} seconds.` };
}
