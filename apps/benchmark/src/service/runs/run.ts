import { Code } from "@connectrpc/connect";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { getProblemFacts } from "@switchyard/rpc";
import type { Logger } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import type { ExecutionRecord, Failure } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import { toPlace } from "../../store/results.ts";
import { toRunFailure } from "./file-attempt.ts";
import type { FileAttempt, FileOfExecution } from "./file-attempt.ts";
import { toPlan } from "../executions/plan.ts";
import { createResultWriter } from "./result-writer.ts";
import type { ResultWriterDependencies } from "./result-writer.ts";
import type { BenchmarkSettings } from "../settings.ts";
import type { Semaphore } from "./semaphore.ts";

/** What a run needs. */
export interface RunDependencies extends ResultWriterDependencies {
  executions: ExecutionStore;
  files: FileAttempt;
  semaphore: Semaphore;
  logger: Pick<Logger, "info" | "warn">;
  settings: Pick<BenchmarkSettings, "parallel" | "attempts" | "retryMs" | "maxRetryDelayMs">;
}

/** Works on an execution whose lease is held, until it has ended, the lease is lost, or the signal is aborted. */
export type Run = (execution: ExecutionRecord, signal: AbortSignal) => Promise<void>;

/** Creates the function that runs an execution. It goes on where the holder before left off: what is finished is not begun again. */
export function createRun(dependencies: RunDependencies): Run {
  const { executions, files, semaphore, logger, now, settings } = dependencies;

  /** Tries a file until it is finished. That nobody answers is no fault of the file: it waits for as long as the run may. */
  async function getResult(subject: FileOfExecution, signal: AbortSignal) {
    let faults = 0;
    let last: unknown;
    for (let tries = 0; ; tries += 1) {
      try {
        if (faults >= settings.attempts) return await files.broken(subject, last, signal);
        return await semaphore(signal, () => files.attempt(subject, signal));
      } catch (error) {
        signal.throwIfAborted();
        if (toRunFailure(error) !== undefined) throw error;
        const wasGivenUp = faults >= settings.attempts;
        if (getProblemFacts(error).code !== Code.Unavailable) [faults, last] = [faults + 1, error];
        logger.warn(
          { executionId: subject.execution._id, fileId: subject.file.fileId, err: error },
          "file attempt failed",
        );
        // Its last attempt is over: there is nothing left to wait for.
        if (!wasGivenUp && faults >= settings.attempts) continue;
      }
      const pause = Math.min(settings.maxRetryDelayMs, settings.retryMs * 2 ** Math.min(tries, 10));
      await sleep(pause, undefined, { signal });
    }
  }

  return async (execution, outer) => {
    const { _id, lease } = execution;
    const stored = await executions.plan(_id);
    if (stored === null) return;
    const plan = toPlan(stored);
    const finished = new Set((await executions.finished(_id)).map(toPlace));
    const open = plan.files.map((file, place) => ({ execution, plan, file, place }));
    const left = open.filter(({ place }) => !finished.has(place))[Symbol.iterator]();
    const writer = createResultWriter(dependencies, execution);
    const stopping = new AbortController();
    const signal = AbortSignal.any([outer, stopping.signal]);
    let cause: Error | undefined;

    async function work(): Promise<void> {
      for (const subject of left) {
        if (!(await writer.write(await getResult(subject, signal)))) throw new LeaseLost();
      }
    }
    async function guarded(): Promise<void> {
      try {
        await work();
      } catch (error) {
        // The first thing that went wrong ends the run of this worker; what the others then say follows from it.
        cause ??= error instanceof Error ? error : new Error(String(error));
        stopping.abort();
      }
    }
    await Promise.all(Array.from({ length: settings.parallel }, guarded));
    if (outer.aborted) return;
    const failure = toRunFailure(cause);
    if (cause instanceof LeaseLost)
      return logger.warn({ executionId: _id, fence: lease.fence }, "lease lost: nothing written");
    if (cause !== undefined && failure === undefined) throw cause;
    await end(execution, failure);
  };

  async function end({ _id, lease, fileCount }: ExecutionRecord, failure: Failure | undefined): Promise<void> {
    const error = failure ?? ((await executions.find(_id))?.failed === fileCount ? nothingScored : undefined);
    const ending =
      error === undefined
        ? ({ status: ExecutionStatus.COMPLETED } as const)
        : ({ status: ExecutionStatus.FAILED, error } as const);
    const ended = await executions.finish(_id, lease, ending, new Date(now()));
    if (ended) logger.info({ executionId: _id, error: error?.code }, "execution ended");
  }
}

class LeaseLost extends Error {}

const nothingScored: Failure = { code: "NO_FILE_SCORED", message: "None of the files could be extracted." };
