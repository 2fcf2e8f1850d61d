import type { AcceptedStore } from "../../store/accepted.ts";
import type { Completion, ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import { isInProject } from "../../store/files.ts";
import type { FileRecord, FileStore } from "../../store/files.ts";
import { toPosition } from "../../store/position.ts";
import type { Transaction } from "../../store/transaction.ts";
import type { CurrentValuesStore } from "../../store/values/current-values.ts";
import { findAccepted, toCurrentValues } from "./current-values-updater.ts";

/**
 * Derives the current values of the files of a project whose extractions have just been completed, in the same transaction. `arrived` are those
 * of the files that came to the project in this transaction too. All its extractions of them are among these, so that none need be read.
 */
export type DeriveValues = (
  completions: readonly Completion[],
  arrived: readonly FileRecord[],
  session: Transaction,
) => Promise<void>;

/** The dependencies of the derivation. */
export interface DerivationDependencies {
  files: Pick<FileStore, "hold">;
  accepted: Pick<AcceptedStore, "find">;
  extractions: Pick<ExtractionStore, "findCompleted" | "getTables">;
  currentValues: Pick<CurrentValuesStore, "put">;
}

/** Creates the function that derives current values from completed extractions. */
export function createDeriveValues(dependencies: DerivationDependencies): DeriveValues {
  const { files, accepted, extractions, currentValues } = dependencies;

  /** Finds the completed extractions of files that were in the project before, the newest first. */
  async function findCompleted(completions: readonly Completion[], session: Transaction): Promise<ExtractionRecord[]> {
    const [first] = completions;
    if (first === undefined) return [];
    const { projectId } = first.extraction;
    const fileIds = [...new Set(completions.map(({ extraction }) => extraction.fileId))];
    const [from = ""] = completions.map(({ extraction: { createdAt, _id } }) => toPosition(createdAt, _id)).sort();
    return extractions.findCompleted({ projectId, fileIds, from }, session);
  }

  return async (completions, arrived, session) => {
    const written = new Map(completions.map(({ extraction, outcome }) => [extraction._id, outcome.tables]));
    const models = Map.groupBy(completions, ({ extraction }) => extraction.fileId);
    const [ofArrived, ofOthers] = partition(completions, new Set(arrived.map(({ _id }) => _id)));
    const others = [...new Set(ofOthers.map(({ extraction }) => extraction.fileId))];
    const held = others.length === 0 ? [] : await files.hold(others, session);
    const found = [...ofArrived.map(toCompleted).sort(newestFirst), ...(await findCompleted(ofOthers, session))];
    const values = [];
    for (const file of [...arrived, ...held].filter(isInProject)) {
      for (const modelId of new Set(models.get(file._id)?.map(({ extraction }) => extraction.modelId))) {
        const record = found.find((each) => each.fileId === file._id && each.modelId === modelId);
        const tables = record && (written.get(record._id) ?? (await extractions.getTables(record._id, session)));
        if (record === undefined || tables == null) continue;
        const truth = await findAccepted(accepted, file, modelId, session);
        values.push(toCurrentValues(file, modelId, { truth, last: { record, tables } }));
      }
    }
    if (values.length > 0) await currentValues.put(values, session);
  };
}

/** Separates the completions of these files from others. */
function partition(completions: readonly Completion[], fileIds: ReadonlySet<string>): [Completion[], Completion[]] {
  const isOfThese = ({ extraction }: Completion): boolean => fileIds.has(extraction.fileId);
  return [completions.filter(isOfThese), completions.filter((each) => !isOfThese(each))];
}

function toCompleted({ extraction, outcome }: Completion): ExtractionRecord {
  return { ...extraction, review: outcome.review ?? null };
}

function newestFirst(left: ExtractionRecord, right: ExtractionRecord): number {
  return toPosition(left.createdAt, left._id) < toPosition(right.createdAt, right._id) ? 1 : -1;
}
