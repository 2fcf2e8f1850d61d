import type { Storage } from "@switchyard/storage";
import { AsyncLocalStorage } from "node:async_hooks";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { Ending, ExtractedValues, ExtractionRecord, ExtractionStore, Outcome } from "../../store/extractions.ts";
import type { FileStore } from "../../store/files.ts";
import { toPosition } from "../../store/position.ts";
import type { Transaction } from "../../store/transaction.ts";
import type { CurrentValues, CurrentValuesStore } from "../../store/values/current-values.ts";
import { findAccepted, isInProject, toCurrentValues } from "./current-values-updater.ts";

/** The dependencies of the completion. */
export interface CompletionDependencies {
  storage: Pick<Storage, "batchWrites">;
  files: Pick<FileStore, "hold">;
  accepted: Pick<AcceptedStore, "find">;
  extractions: Pick<ExtractionStore, "finish" | "finishAll" | "findCompleted" | "getTables">;
  currentValues: Pick<CurrentValuesStore, "put">;
}

/** Ends an extraction and, if it has values, derives the current ones of its file. */
export type Complete = (extraction: ExtractionRecord, outcome: Outcome, at: Date) => Promise<boolean>;

/** A completed extraction. */
type Completion = Ending & { readonly extraction: ExtractionRecord; readonly outcome: ExtractedValues };

/** Extractions whose values have more bytes have a transaction of their own. */
const maxSharedBytes = 64 * 1024;

/**
 * Creates the function that ends extractions. Those of a project that end at the same time share a transaction. It returns false, and writes
 * nothing, if the lease is no longer held.
 */
export function createCompletion(dependencies: CompletionDependencies): Complete {
  const { storage, files, accepted, extractions, currentValues } = dependencies;
  // An extraction is completed even if the client of the call that started it no longer waits, which would end the call's transactions.
  const outsideOfCalls = AsyncLocalStorage.snapshot();

  /** Derives the current values of files of a project from extractions that have just been completed. */
  async function derive(completions: readonly Completion[], projectId: string, session: Transaction): Promise<void> {
    const written = new Map(completions.map(({ extraction, outcome }) => [extraction._id, outcome.tables]));
    const models = Map.groupBy(completions, ({ extraction }) => extraction.fileId);
    const held = (await files.hold([...models.keys()], session)).filter(isInProject);
    const fileIds = held.map(({ _id }) => _id);
    const [from = ""] = completions.map(({ extraction: { createdAt, _id } }) => toPosition(createdAt, _id)).sort();
    const found = await extractions.findCompleted({ projectId, fileIds, from }, session);
    const values: CurrentValues[] = [];
    for (const file of held) {
      for (const modelId of new Set(models.get(file._id)?.map(({ extraction }) => extraction.modelId))) {
        const record = found.find((each) => each.fileId === file._id && each.modelId === modelId);
        const tables = record && (written.get(record._id) ?? (await extractions.getTables(record._id, session)));
        if (record === undefined || tables == null) continue;
        const truth = await findAccepted(accepted, file, modelId, session);
        values.push(toCurrentValues(file, modelId, { truth, last: { record, tables } }));
      }
    }
    if (values.length > 0) await currentValues.put(values, session);
  }

  const completeAll = storage.batchWrites<Completion>(async (_key, completions, session) => {
    if (!(await extractions.finishAll(completions, session))) return false;
    const [first] = completions;
    if (first !== undefined) await derive(completions, first.extraction.projectId, session);
    return true;
  });

  return async (extraction, outcome, at) => {
    if ("error" in outcome) return extractions.finish({ extraction, outcome, at });
    const key = outcome.tables.length > maxSharedBytes ? extraction._id : extraction.projectId;
    return outsideOfCalls(() => completeAll(key, { extraction, outcome, at }));
  };
}
