import { isEmpty } from "@switchyard/matching";
import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { toValueTables } from "../cells/cell-value.ts";
import type { ValueTable } from "../cells/cell-value.ts";
import { scoreFile } from "../files/file-score.ts";
import type { ScoredConfiguration } from "../tables/table-score.ts";

/** Where an extracted value comes from: the document's own text, or text that was recognized in a picture. */
export type ValueSource = "TEXT" | "OCR";

/** An extracted value of a file that was compared with the accepted one. */
export interface ObservedValue {
  readonly columnId: string;
  readonly source: ValueSource;
  /** From 0 to 1; 1 if the engine states none, and 0 without evidence. */
  readonly confidence: number;
  /** Whether it is not the accepted value. */
  readonly wrong: boolean;
}

/** The extracted values of an accepted file. */
export interface FileObservation {
  readonly fileId: string;
  readonly values: readonly ObservedValue[];
}

/** What a file is observed by: its accepted values and what was extracted. */
export interface ObservedFile {
  readonly fileId: string;
  readonly configuration: ScoredConfiguration;
  readonly expected: readonly ValueTable[];
  readonly extracted: readonly ExtractedTable[];
}

/**
 * Compares the extracted values of a file with its accepted ones, as benchmark runs do, and returns those that were compared. Cells without
 * an extracted value are left out: nobody could look at them, and a required one that is missing is always on the review list.
 */
export function observeFile({ fileId, configuration, expected, extracted }: ObservedFile): FileObservation {
  const actual = toValueTables(extracted);
  const { cells } = scoreFile({ fileId, configuration, expected, actual });
  const bySlug = new Map(extracted.map((table) => [table.slug, table]));
  const values = cells.flatMap((cell): ObservedValue[] => {
    const { table, column, columnId, actualRow, outcome } = cell;
    const row = actualRow === null ? undefined : bySlug.get(table)?.rows[actualRow];
    if (row === undefined || isEmpty(cell.actual)) return [];
    const evidence = row.evidence[column];
    const source = evidence?.source === TextSource.OCR ? "OCR" : "TEXT";
    // Without evidence, a value never goes unseen.
    const confidence = evidence === undefined ? 0 : (row.confidence[column] ?? 1);
    return [{ columnId, source, confidence, wrong: outcome !== "correct" }];
  });
  return { fileId, values };
}
