import { Code } from "@connectrpc/connect";
import type { FailureReason } from "@switchyard/contracts/reasons";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { getProblemFacts } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import type PQueue from "p-queue";
import type { ExecutionRecord, Failure } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import { toPlace } from "../../store/results.ts";
import { toRunFailure } from "./file-evaluator.ts";
import type { ExecutionFile, FileEvaluator } from "./file-evaluator.ts";
import { toPlan } from "../executions/plan.ts";
import { createResultWriter } from "./result-writer.ts";
import type { ResultWriterDependencies } from "./result-writer.ts";
import type { BenchmarkSettings } from "../settings.ts";

/** The dependencies of a {@link Run}. */
export interface RunDependencies extends ResultWriterDependencies {
  executions: ExecutionStore;
  evaluator: FileEvaluator;
  /** Returns the queue that limits the number of files that are evaluated at the same time with an engine of this name. */
  getQueue: (engine: string) => PQueue;
  logger: Pick<Logger, "info" | "warn">;
  settings: Pick<BenchmarkSettings, "maxParallelFiles" | "maxAttempts" | "retryDelayMs" | "maxRetryDelayMs">;
}

/** Runs an execution whose lease is held, until it has ended, the lease is lost or the signal is aborted. */
export type Run = (execution: ExecutionRecord, signal: AbortSignal) => Promise<void>;

/** Creates the function that runs an execution. It continues where the previous owner stopped: finished files are not repeated. */
export function createRun(dependencies: RunDependencies): Run {
  const { executions, evaluator, getQueue, logger, now, settings } = dependencies;

  /** Evaluates a file until there is a result. While a service is unavailable, attempts do not count, and the file waits. */
  async function evaluate(subject: ExecutionFile, signal: AbortSignal) {
    const queue = getQueue(subject.execution.engine.name);
    let failures = 0;
    let lastError: unknown;
    for (let attempt = 0; ; attempt += 1) {
      const isFinal = failures >= settings.maxAttempts;
      try {
        if (isFinal) return await evaluator.evaluateFailure(subject, lastError, signal);
        return await queue.add(() => evaluator.evaluate(subject, signal), { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (toRunFailure(error) !== undefined) throw error;
        if (getProblemFacts(error).code !== Code.Unavailable) [failures, lastError] = [failures + 1, error];
        logger.warn(
          { executionId: subject.execution._id, fileId: subject.file.fileId, err: error },
          "file attempt failed",
        );
        // After the last attempt, there is nothing to wait for.
        if (!isFinal && failures >= settings.maxAttempts) continue;
      }
      const delay = Math.min(settings.maxRetryDelayMs, settings.retryDelayMs * 2 ** Math.min(attempt, 10));
      await sleep(delay, undefined, { signal });
    }
  }

  return async (execution, outer) => {
    const { _id, lease } = execution;
    const stored = await executions.findPlan(_id);
    if (stored === null) return;
    const plan = toPlan(stored);
    const finished = new Set((await executions.listFinished(_id)).map(toPlace));
    const files = plan.files.map((file, place) => ({ execution, plan, file, place }));
    const remaining = files.filter(({ place }) => !finished.has(place))[Symbol.iterator]();
    const writer = createResultWriter(dependencies, execution);
    const stopping = new AbortController();
    const signal = AbortSignal.any([outer, stopping.signal]);
    let cause: Error | undefined;

    async function evaluateRemaining(): Promise<void> {
      for (const subject of remaining) {
        if (!(await writer.write(await evaluate(subject, signal)))) throw new LeaseLost();
      }
    }
    async function runWorker(): Promise<void> {
      try {
        await evaluateRemaining();
      } catch (error) {
        // The first error ends the run of this worker. Later errors are its consequences.
        cause ??= error instanceof Error ? error : new Error(String(error));
        stopping.abort();
      }
    }
    await Promise.all(Array.from({ length: settings.maxParallelFiles }, runWorker));
    if (outer.aborted) return;
    const failure = toRunFailure(cause);
    if (cause instanceof LeaseLost)
      return logger.warn({ executionId: _id, fence: lease.fence }, "lease lost, so no more results are written");
    if (cause !== undefined && failure === undefined) throw cause;
    await end(execution, failure);
  };

  async function end({ _id, lease, fileCount }: ExecutionRecord, failure: Failure | undefined): Promise<void> {
    const { failed = 0, leftOut = 0 } = (await executions.find(_id)) ?? {};
    const error = failure ?? (failed + leftOut === fileCount ? noFileScored : undefined);
    const ending =
      error === undefined
        ? ({ status: ExecutionStatus.COMPLETED } as const)
        : ({ status: ExecutionStatus.FAILED, error } as const);
    const ended = await executions.finish(_id, lease, ending, new Date(now()));
    if (ended) logger.info({ executionId: _id, error: error?.code }, "execution ended");
  }
}

class LeaseLost extends Error {}

const noFileScored: Failure = {
  code: "NO_FILE_SCORED" satisfies FailureReason,
  message: "None of the files could be extracted, or has a labeled cell.",
};
