import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { currentTables } from "../../domain/rows/current-tables.ts";
import type { AcceptedStore } from "../../store/accepted.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import { isInProject } from "../../store/files.ts";
import type { FileRecord, FileStore, ProjectFile } from "../../store/files.ts";
import { decodeTables, encodeTables } from "../../store/tables.ts";
import type { Transaction } from "../../store/transaction.ts";
import type { ReviewThresholdStore } from "../../store/values/review-thresholds.ts";
import type { CurrentValues, CurrentValuesStore } from "../../store/values/current-values.ts";

/** Keeps the current values of files up to date, in the transactions that change what they are derived from. */
export interface CurrentValuesUpdater {
  /**
   * Derives the current values of a file for a model from its accepted values and its last completed extraction. It must follow the change
   * of these, in the same transaction. `known` contains the accepted values that the caller has just written; null if it removed them.
   */
  update(
    file: { fileId: string; modelId: string },
    known: { accepted?: AcceptedTable[] | null },
    session: Transaction,
  ): Promise<void>;
}

/** The dependencies of the updater. */
export interface CurrentValuesUpdaterDependencies {
  files: Pick<FileStore, "hold">;
  accepted: Pick<AcceptedStore, "find">;
  extractions: Pick<ExtractionStore, "findLastCompleted" | "getTables">;
  currentValues: Pick<CurrentValuesStore, "put" | "remove">;
  reviewThresholds: Pick<ReviewThresholdStore, "markChanged">;
}

/** What current values are derived from: the accepted values, and the last completed extraction. */
export interface Sources {
  readonly truth: readonly AcceptedTable[] | null;
  readonly last: { readonly record: ExtractionRecord; readonly tables: Uint8Array } | null;
}

/** Creates the updater. */
export function createCurrentValuesUpdater(dependencies: CurrentValuesUpdaterDependencies): CurrentValuesUpdater {
  const { files, accepted, extractions, currentValues, reviewThresholds } = dependencies;

  /** Finds the last completed extraction, with its values. */
  async function findLast({ _id: fileId, projectId }: ProjectFile, modelId: string, session: Transaction) {
    const record = await extractions.findLastCompleted({ projectId, fileId, modelId }, session);
    const tables = record === null ? null : await extractions.getTables(record._id, session);
    return record === null || tables === null ? null : { record, tables };
  }

  return {
    async update({ fileId, modelId }, known, session) {
      const [file] = (await files.hold([fileId], session)).filter(isInProject);
      if (file === undefined) return;
      if (known.accepted !== undefined) await reviewThresholds.markChanged(modelId, session);
      const truth =
        known.accepted === undefined ? await findAccepted(accepted, file, modelId, session) : known.accepted;
      const last = await findLast(file, modelId, session);
      if (truth === null && last === null) return currentValues.remove(fileId, modelId, session);
      await currentValues.put([toCurrentValues(file, modelId, { truth, last })], session);
    },
  };
}

/** Finds the accepted values of a file for a model; null if there are none. */
export async function findAccepted(
  accepted: Pick<AcceptedStore, "find">,
  file: FileRecord,
  modelId: string,
  session: Transaction,
): Promise<AcceptedTable[] | null> {
  return file.acceptedFor.includes(modelId) ? accepted.find(file._id, modelId, session) : null;
}

/** Derives the current values of a file for a model. */
export function toCurrentValues(file: ProjectFile, modelId: string, { truth, last }: Sources): CurrentValues {
  const { _id: fileId, projectId, filename, createdAt: fileCreatedAt } = file;
  const extraction = last && {
    id: last.record._id,
    createdAt: last.record.createdAt,
    review: last.record.review ?? null,
  };
  const tables = encodeTables(currentTables(truth, last && decodeTables(last.tables)));
  return { fileId, modelId, projectId, filename, fileCreatedAt, accepted: truth !== null, extraction, tables };
}
