import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { Storage } from "@switchyard/storage";
import { AsyncLocalStorage } from "node:async_hooks";
import { currentTables } from "../../domain/rows/current-tables.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { ExtractionRecord, ExtractionStore, Outcome } from "../../store/extractions.ts";
import type { FileStore } from "../../store/files.ts";
import { decodeTables, encodeTables } from "../../store/tables.ts";
import type { Transaction } from "../../store/transaction.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import type { CurrentValuesStore } from "../../store/values/current-values.ts";

/** Keeps the current values of files up to date, in the transactions that change what they are derived from. */
export interface Refreshment {
  /**
   * Derives the current values of a file for a model from its accepted values and its last completed extraction. It must follow the change
   * of these, in the same transaction. `known` contains what the caller has just written; null if it was removed.
   */
  refresh(
    file: { fileId: string; modelId: string },
    known: { accepted?: AcceptedTable[] | null; extraction?: { id: string; tables: Uint8Array } },
    session: Transaction,
  ): Promise<void>;
  /** Ends an extraction, and refreshes the values of its file. Returns false, and writes nothing, if its lease is no longer held. */
  complete(extraction: ExtractionRecord, outcome: Outcome, now: Date): Promise<boolean>;
}

/** The dependencies of the refreshment. */
export interface RefreshmentDependencies {
  storage: Pick<Storage, "atomically">;
  files: FileStore;
  accepted: AcceptedStore;
  extractions: ExtractionStore;
  currentValues: CurrentValuesStore;
  reviewThresholds: Pick<ReviewThresholdStore, "markChanged">;
}

/** Creates the refreshment. */
export function createRefreshment(dependencies: RefreshmentDependencies): Refreshment {
  const { storage, files, accepted, extractions, currentValues, reviewThresholds } = dependencies;
  // An extraction is completed even if the client of the call that started it no longer waits, which would end the call's transactions.
  const outsideOfCalls = AsyncLocalStorage.snapshot();

  /** Finds the last completed extraction, with its values. */
  async function findLast(
    file: { projectId: string; fileId: string; modelId: string },
    known: { id: string; tables: Uint8Array } | undefined,
    session: Transaction,
  ) {
    const last = await extractions.findLastCompleted(file, session);
    if (last === null) return null;
    const { _id: id, createdAt, review = null } = last;
    const tables = id === known?.id ? known.tables : await extractions.getTables(id, session);
    return tables === null ? null : { extraction: { id, createdAt, review }, tables: decodeTables(tables) };
  }

  async function refresh(...[{ fileId, modelId }, known, session]: Parameters<Refreshment["refresh"]>): Promise<void> {
    const file = await files.hold(fileId, session);
    if (file === null || file.projectId === null) return;
    if (known.accepted !== undefined) await reviewThresholds.markChanged(modelId, session);
    const { projectId, filename, createdAt: fileCreatedAt } = file;
    const findAccepted = () => (file.acceptedFor.includes(modelId) ? accepted.find(fileId, modelId, session) : null);
    const truth = known.accepted === undefined ? await findAccepted() : known.accepted;
    const last = await findLast({ projectId, fileId, modelId }, known.extraction, session);
    if (truth === null && last === null) return currentValues.remove(fileId, modelId, session);
    const values = {
      fileId,
      modelId,
      projectId,
      filename,
      fileCreatedAt,
      accepted: truth !== null,
      extraction: last?.extraction ?? null,
      tables: encodeTables(currentTables(truth, last?.tables ?? null)),
    };
    await currentValues.put(values, session);
  }

  return {
    refresh,

    async complete(extraction, outcome, now) {
      const { _id: id, lease } = extraction;
      if ("error" in outcome) return extractions.finish(id, lease, outcome, now);
      return outsideOfCalls(() =>
        storage.atomically(async (session) => {
          if (!(await extractions.finish(id, lease, outcome, now, session))) return false;
          await refresh(extraction, { extraction: { id, tables: outcome.tables } }, session);
          return true;
        }),
      );
    },
  };
}
