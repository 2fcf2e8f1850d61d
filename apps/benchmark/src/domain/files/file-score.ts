import { cellsIn, countCell, noCells, rightIn } from "../cells/cell-counts.ts";
import type { CellCounts } from "../cells/cell-counts.ts";
import type { ValueTable } from "../cells/cell-value.ts";
import { fileAnls } from "./file-anls.ts";
import { compareTable, scoreTable } from "../tables/table-score.ts";
import type { CellScore, ScoredConfiguration, TableScore } from "../tables/table-score.ts";

/** How well a file was extracted. */
export interface FileScore {
  readonly fileId: string;
  /** There was no extraction to score; every accepted value counts as missing, and nothing as right. */
  readonly failed: boolean;
  /** How long extraction took; null when not known. */
  readonly extractMs: number | null;
  /** In the order of the configuration. */
  readonly tables: readonly TableScore[];
  /** By table, row and column. */
  readonly cells: readonly CellScore[];
  readonly counts: CellCounts;
  /** ANLS* of all tables, from 0 to 1; 0 of a failed file. */
  readonly anls: number;
  /** Whether every cell is right. */
  readonly exact: boolean;
}

/** A file to be scored. */
export interface FileToScore {
  readonly fileId: string;
  readonly configuration: ScoredConfiguration;
  readonly expected: readonly ValueTable[];
  /** Null when extraction failed. */
  readonly actual: readonly ValueTable[] | null;
  readonly extractMs?: number | null | undefined;
}

/**
 * Compares what was extracted from a file with what was accepted, cell by cell. Columns that are excluded from extraction, and tables and
 * columns that the configuration does not have, are not looked at. The document's own table has at least one row; empty rows of other
 * tables are no rows. A missing or invented row has only the cells that hold a value.
 */
export function scoreFile({ fileId, configuration, expected, actual, extractMs }: FileToScore): FileScore {
  const failed = actual === null;
  const compared = configuration.tables.map((table) =>
    compareTable(table, configuration.columns, expected, actual ?? []),
  );
  const scored = compared.map((table) => scoreTable(table, failed));
  const cells = scored.flatMap((table) => table.cells);
  const counts = noCells();
  for (const cell of cells) countCell(counts, cell);
  return {
    fileId,
    failed,
    extractMs: extractMs ?? null,
    tables: scored.map(({ score }) => score),
    cells,
    counts,
    anls: failed ? 0 : fileAnls(compared),
    exact: !failed && rightIn(counts) === cellsIn(counts),
  };
}
