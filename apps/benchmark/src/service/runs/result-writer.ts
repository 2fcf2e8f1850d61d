import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { addTyping } from "../../domain/summary/savings.ts";
import { addUsage } from "@switchyard/statistics";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import { toEntry } from "../../store/results.ts";
import type { NewResult, ResultStore } from "../../store/results.ts";

/** Writes the results of one execution under one lease. */
export interface ResultWriter {
  /** Writes a result. Returns false, without writing it, if the lease was lost. */
  write(result: NewResult): Promise<boolean>;
}

/** The dependencies of a {@link ResultWriter}. */
export interface ResultWriterDependencies {
  executions: ExecutionStore;
  results: ResultStore;
  now: () => number;
}

const maxBatchSize = 50;

/**
 * Creates the writer of an execution. Results are stored first. They count after a second write, which succeeds only for the holder of
 * the lease. Results that arrive during a write are written together by the next one.
 */
export function createResultWriter(
  { executions, results, now }: ResultWriterDependencies,
  { _id, lease }: ExecutionRecord,
): ResultWriter {
  let waiting: { result: NewResult; settle: (written: Promise<boolean>) => void }[] = [];
  let writing = false;

  async function writeBatch(added: readonly NewResult[]): Promise<boolean> {
    const countOf = (status: FileResultStatus): number => added.filter(({ record }) => record.status === status).length;
    const [failed, leftOut] = [countOf(FileResultStatus.FAILED), countOf(FileResultStatus.LEFT_OUT)];
    await results.insert(added);
    const records = added.map(({ record }) => record);
    const progress = {
      entries: records.map(toEntry),
      failed,
      leftOut,
      typing: addTyping(records.map(({ typing }) => typing)),
      usage: addUsage(records.map(({ usage }) => usage ?? null)),
    };
    if (await executions.countResults(_id, lease, progress, new Date(now()))) return true;
    await results.discard(added);
    return false;
  }

  async function drain(): Promise<void> {
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const next = waiting.slice(0, maxBatchSize);
      waiting = waiting.slice(maxBatchSize);
      const written = writeBatch(next.map(({ result }) => result));
      for (const { settle } of next) settle(written);
      await written.catch(() => undefined);
    }
    writing = false;
  }

  return {
    write(result) {
      return new Promise((resolve) => {
        waiting.push({ result, settle: resolve });
        void drain();
      });
    },
  };
}
