import { countCells, addCell, createCellCounts, countCorrect } from "../cells/cell-counts.ts";
import type { CellCounts } from "../cells/cell-counts.ts";
import type { ValueTable } from "../cells/cell-value.ts";
import { computeFileAnls } from "./file-anls.ts";
import { compareTable, getLabeledColumns, scoreTable } from "../tables/table-score.ts";
import type { CellScore, ScoredConfiguration, TableScore } from "../tables/table-score.ts";

/** The score of a file. */
export interface FileScore {
  readonly fileId: string;
  /** Whether the extraction failed. All accepted values then count as missing, and nothing as correct. */
  readonly failed: boolean;
  /** Whether no cell of the accepted values is labeled in a scored column. The file is then not scored, and has no cells. */
  readonly leftOut: boolean;
  /** The duration of the extraction, or null if unknown. */
  readonly extractMs: number | null;
  /** The scores of the tables, in the order of the configuration. */
  readonly tables: readonly TableScore[];
  /** The scores of the cells, ordered by table, row and column. */
  readonly cells: readonly CellScore[];
  readonly counts: CellCounts;
  /** The ANLS* of all tables, from 0 to 1. It is 0 for a failed file. */
  readonly anls: number;
  /** Whether all cells are correct. */
  readonly exact: boolean;
}

/** The input of {@link scoreFile}. */
export interface ScoredFile {
  readonly fileId: string;
  readonly configuration: ScoredConfiguration;
  readonly expected: readonly ValueTable[];
  /** The extracted values, or null if the extraction failed. */
  readonly actual: readonly ValueTable[] | null;
  readonly extractMs?: number | null | undefined;
}

/**
 * Compares the extracted values of a file with the accepted ones, cell by cell. Columns that are excluded from extraction, and tables and
 * columns that are not in the configuration, are ignored. The primary table has at least one row. Empty rows of other tables are
 * ignored. A missing or invented row has only cells with a value. Cells that are not labeled are not scored: those of columns that an
 * accepted row does not have, and in invented rows those of columns that no accepted row has.
 */
export function scoreFile({ fileId, configuration, expected, actual, extractMs }: ScoredFile): FileScore {
  const failed = actual === null;
  const compared = configuration.tables.map((table) =>
    compareTable(table, configuration.columns, expected, actual ?? []),
  );
  const scored = compared.map((table) => scoreTable(table, failed));
  const cells = scored.flatMap((table) => table.cells);
  const leftOut = !failed && compared.every(({ columns }) => columns.length === 0);
  const counts = createCellCounts();
  for (const cell of cells) addCell(counts, cell);
  return {
    fileId,
    failed,
    leftOut,
    extractMs: extractMs ?? null,
    tables: scored.map(({ score }) => score),
    cells,
    counts,
    anls: failed ? 0 : computeFileAnls(compared),
    exact: !failed && !leftOut && countCorrect(counts) === countCells(counts),
  };
}

/** Whether a cell of accepted values is labeled in a column that is scored. A file without one is left out. */
export function hasLabeledCell({ tables, columns }: ScoredConfiguration, expected: readonly ValueTable[]): boolean {
  return tables.some((table) => getLabeledColumns(table, columns, expected).length > 0);
}
