import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { ExecutionRecord } from "../../store/execution-documents.ts";
import type { ExecutionStore } from "../../store/executions.ts";
import { toEntry } from "../../store/results.ts";
import type { NewResult, ResultStore } from "../../store/results.ts";

/** Writes the results of one execution under one lease. */
export interface ResultWriter {
  /** Resolves when the result is written: false when the lease is lost, and nothing was. */
  write(result: NewResult): Promise<boolean>;
}

/** What the writer needs. */
export interface ResultWriterDependencies {
  executions: ExecutionStore;
  results: ResultStore;
  now: () => number;
}

/** How many results are written at once at most. */
const batch = 50;

/**
 * Creates the writer of an execution. Results are stored first and then made to count, by one write that only the holder of the
 * execution's fence can make; what comes while one is under way is written together by the next.
 */
export function createResultWriter(
  { executions, results, now }: ResultWriterDependencies,
  { _id, lease }: ExecutionRecord,
): ResultWriter {
  let waiting: { result: NewResult; settle: (written: Promise<boolean>) => void }[] = [];
  let writing = false;

  async function put(added: readonly NewResult[]): Promise<boolean> {
    const failed = added.filter(({ record }) => record.status === FileResultStatus.FAILED).length;
    await results.insert(added);
    const advance = { entries: added.map(({ record }) => toEntry(record)), failed };
    if (await executions.advance(_id, lease, advance, new Date(now()))) return true;
    await results.discard(added);
    return false;
  }

  async function drain(): Promise<void> {
    if (writing) return;
    writing = true;
    while (waiting.length > 0) {
      const next = waiting.slice(0, batch);
      waiting = waiting.slice(batch);
      const written = put(next.map(({ result }) => result));
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
