import type { Storage } from "@switchyard/storage";
import { AsyncLocalStorage } from "node:async_hooks";
import type {
  Completion,
  ExtractedValues,
  ExtractionRecord,
  ExtractionStore,
  Outcome,
} from "../../store/extractions.ts";
import type { DeriveValues } from "./derivation.ts";

/** The dependencies of the completion. */
export interface CompletionDependencies {
  storage: Pick<Storage, "batchWrites">;
  extractions: Pick<ExtractionStore, "finish" | "finishAll">;
  deriveValues: DeriveValues;
}

/** Ends an extraction and, if it has values, derives the current ones of its file. */
export type Complete = (extraction: ExtractionRecord, outcome: Outcome, at: Date) => Promise<boolean>;

/** Extractions whose values have more bytes have a transaction of their own. */
const maxSharedBytes = 64 * 1024;

/** Returns the key of the batch in which the values of an extraction are written. */
export function toBatchKey({ _id, projectId }: ExtractionRecord, { tables }: ExtractedValues): string {
  return tables.length > maxSharedBytes ? _id : projectId;
}

/**
 * Creates the function that ends extractions. Those of a project that end at the same time share a transaction. It returns false, and writes
 * nothing, if the lease is no longer held.
 */
export function createCompletion({ storage, extractions, deriveValues }: CompletionDependencies): Complete {
  // An extraction is completed even if the client of the call that started it no longer waits, which would end the call's transactions.
  const outsideOfCalls = AsyncLocalStorage.snapshot();

  const completeAll = storage.batchWrites<Completion>(async (_key, completions, session) => {
    if (!(await extractions.finishAll(completions, session))) return false;
    await deriveValues(completions, [], session);
    return true;
  });

  return async (extraction, outcome, at) => {
    if ("error" in outcome) return extractions.finish({ extraction, outcome, at });
    return outsideOfCalls(() => completeAll(toBatchKey(extraction, outcome), { extraction, outcome, at }));
  };
}
