import { FileResultStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import type { Storage } from "@switchyard/storage";
import type { ExecutionRecord } from "../store/execution-documents.ts";
import type { ExecutionStore } from "../store/executions.ts";
import type { NewResult, ResultStore } from "../store/results.ts";

/** Writes the results of one execution under one lease. */
export interface ResultWriter {
  /** Resolves when the result is written: false when the lease is lost, and nothing was. */
  write(result: NewResult): Promise<boolean>;
}

/** What the writer needs. */
export interface ResultWriterDependencies {
  storage: Pick<Storage, "atomically">;
  executions: ExecutionStore;
  results: ResultStore;
  now: () => number;
}

/** How many results are written at once at most. */
const batch = 50;

/**
 * Creates the writer of an execution. Results and their count are one transaction that only the holder of the execution's fence can
 * make; what comes while one is under way is written together by the next.
 */
export function createResultWriter(
  { storage, executions, results, now }: ResultWriterDependencies,
  { _id, lease }: ExecutionRecord,
): ResultWriter {
  let waiting: { result: NewResult; settle: (written: Promise<boolean>) => void }[] = [];
  let writing = false;

  async function put(added: readonly NewResult[]): Promise<boolean> {
    const failed = added.filter(({ record }) => record.status === FileResultStatus.FAILED).length;
    return storage.atomically(async (session) => {
      const advance = { done: added.length, failed };
      if (!(await executions.advance(_id, lease, advance, new Date(now()), session))) return false;
      await results.insert(added, session);
      return true;
    });
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
