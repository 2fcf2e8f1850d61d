import { matchCells, prepareValue } from "@switchyard/matching";
import type { Closeness, PreparedValue, Scalar } from "@switchyard/matching";
import { isCorrect } from "../cells/cell-counts.ts";
import type { Outcome } from "../cells/cell-counts.ts";
import type { ValueRow, ValueTable } from "../cells/cell-value.ts";
import { alignByPosition, alignRows } from "./row-alignment.ts";
import type { AlignedColumn, AlignedRows, Alignment, PreparedRow } from "./row-alignment.ts";

/** The properties of a column that scoring depends on, as in a configuration. */
export interface ScoredColumn extends AlignedColumn {
  readonly id: string;
  readonly tableId: string;
  readonly slug: string;
  readonly sharedId?: string | undefined;
  readonly excludedFromExtraction: boolean;
}

/** The properties of a table that scoring depends on, as in a configuration. */
export interface ScoredTable {
  readonly id: string;
  readonly slug: string;
  /** Whether it is the primary table, which has one row for the document. */
  readonly isPrimary: boolean;
}

/** The parts of a configuration that scoring depends on. */
export interface ScoredConfiguration {
  readonly tables: readonly ScoredTable[];
  readonly columns: readonly ScoredColumn[];
}

/** The score of a cell, with its accepted and its extracted value. */
export interface CellScore {
  /** The slug of the table. */
  readonly table: string;
  /** The slug of the column. */
  readonly column: string;
  readonly columnId: string;
  /** Columns of different models with the same shared ID have the same meaning. */
  readonly sharedId: string | null;
  /** The index of the row: first the accepted rows in their order, then invented ones. It is the same in all runs over these values. */
  readonly row: number;
  /** The index of the extracted row, or null if it is missing. */
  readonly actualRow: number | null;
  readonly expected: Scalar;
  readonly actual: Scalar;
  readonly outcome: Outcome;
  /** How closely the values match. With "strict" and "typed", the cell is correct. */
  readonly closeness: Closeness;
  /** From 0 to 1. */
  readonly similarity: number;
}

/** The score of the rows of a table in a file. */
export interface TableScore {
  readonly table: string;
  readonly alignment: Alignment;
  readonly expectedRows: number;
  readonly actualRows: number;
  /** The number of pairs of rows. A missing or invented row counts as one. */
  readonly rows: number;
  /** The number of pairs whose cells are all correct. */
  readonly rightRows: number;
}

/** A table of a file with aligned rows. */
export interface ComparedTable {
  readonly slug: string;
  /** The columns that are scored: those with a labeled cell. */
  readonly columns: readonly ScoredColumn[];
  readonly expected: readonly PreparedRow[];
  readonly actual: readonly PreparedRow[];
  /** The number of rows of the accepted values, including empty ones. */
  readonly allExpectedRows: number;
  readonly aligned: AlignedRows;
}

/**
 * Returns the columns of a table that are scored and of which a cell is labeled. The columns of an accepted table without rows are all
 * labeled, because the document has no row, unless it is the primary table, which always has one.
 */
export function getLabeledColumns(
  { id, slug, isPrimary }: ScoredTable,
  allColumns: readonly ScoredColumn[],
  expectedTables: readonly ValueTable[],
): ScoredColumn[] {
  const accepted = expectedTables.filter((table) => table.slug === slug);
  const rows = accepted.flatMap((table) => table.rows);
  const isLabeledAsEmpty = !isPrimary && accepted.length > 0 && rows.length === 0;
  return allColumns.filter(
    (column) =>
      column.tableId === id &&
      !column.excludedFromExtraction &&
      (isLabeledAsEmpty || rows.some(({ values }) => Object.hasOwn(values, column.slug))),
  );
}

/** Aligns the rows of a table. Leaves out all columns but labeled ones, and empty rows unless the table is primary. */
export function compareTable(
  table: ScoredTable,
  allColumns: readonly ScoredColumn[],
  expectedTables: readonly ValueTable[],
  actualTables: readonly ValueTable[],
): ComparedTable {
  const { slug, isPrimary } = table;
  const columns = getLabeledColumns(table, allColumns, expectedTables);
  const getTableRows = (tables: readonly ValueTable[]): ValueRow[] =>
    tables.flatMap((candidate) => (candidate.slug === slug ? candidate.rows : []));
  const [acceptedRows, extractedRows] = [getTableRows(expectedTables), getTableRows(actualTables)];
  const expected = columns.length === 0 ? [] : prepareRows(columns, acceptedRows, isPrimary, undefined);
  const actual = columns.length === 0 ? [] : prepareRows(columns, extractedRows, isPrimary, null);
  const aligned = isPrimary ? alignByPosition(expected, actual) : alignRows(columns, expected, actual);
  return { slug, columns, expected, actual, allExpectedRows: acceptedRows.length, aligned };
}

/** Scores the cells of a table. In a failed file, only accepted values are cells. */
export function scoreTable(table: ComparedTable, failed: boolean): { score: TableScore; cells: CellScore[] } {
  const { aligned, slug, expected, actual } = table;
  const cells: CellScore[] = [];
  let invented = Math.max(table.allExpectedRows, isPrimaryTable(table) ? 1 : 0);
  let rightRows = 0;
  for (const pair of aligned.pairs) {
    const row = pair.expected?.place ?? invented++;
    const start = cells.length;
    table.columns.forEach((column, index) => {
      if (pair.expected !== null && pair.expected.cells[index] === undefined) return;
      const cell = scoreCell(column, pair.expected?.cells[index] ?? null, pair.actual?.cells[index] ?? null);
      const bothRows = pair.expected !== null && pair.actual !== null && !failed;
      if (cell.outcome === "correctlyEmpty" && !bothRows) return;
      const { slug: name, id: columnId, sharedId } = column;
      cells.push({
        table: slug,
        column: name,
        columnId,
        sharedId: sharedId ?? null,
        row,
        actualRow: failed ? null : (pair.actual?.place ?? null),
        ...cell,
      });
    });
    if (pair.expected && pair.actual && !failed && cells.slice(start).every(isCorrect)) rightRows += 1;
  }
  return {
    score: {
      table: slug,
      alignment: aligned.alignment,
      expectedRows: expected.length,
      actualRows: failed ? 0 : actual.length,
      rows: aligned.pairs.length,
      rightRows,
    },
    cells,
  };
}

type Comparison = Pick<CellScore, "expected" | "actual" | "outcome" | "closeness" | "similarity">;

function scoreCell(column: ScoredColumn, expected: PreparedValue | null, actual: PreparedValue | null): Comparison {
  const values = { expected: expected?.value ?? null, actual: actual?.value ?? null };
  if (!expected && !actual) return { ...values, outcome: "correctlyEmpty", closeness: "strict", similarity: 1 };
  if (!expected) return { ...values, outcome: "invented", closeness: "none", similarity: 0 };
  if (!actual) return { ...values, outcome: "missing", closeness: "none", similarity: 0 };
  const match = matchCells(column, expected, actual);
  const right = match.closeness === "strict" || match.closeness === "typed";
  return { ...values, outcome: right ? "correct" : "wrong", ...match };
}

/** Prepares rows for comparison. `absent` is the cell of a column that a row does not have. */
function prepareRows<Absent extends null | undefined>(
  columns: readonly ScoredColumn[],
  allRows: readonly ValueRow[],
  isPrimary: boolean,
  absent: Absent,
): PreparedRow[] {
  const toCell = (column: ScoredColumn, { values }: ValueRow): PreparedValue | null | Absent =>
    Object.hasOwn(values, column.slug) ? prepareValue(column, values[column.slug]) : absent;
  const rows = allRows.map((row, place) => ({ place, cells: columns.map((column) => toCell(column, row)) }));
  if (!isPrimary) return rows.filter((row) => row.cells.some((cell) => cell));
  return rows.length > 0 ? rows : [{ place: 0, cells: columns.map(() => absent) }];
}

function isPrimaryTable({ aligned }: ComparedTable): boolean {
  return aligned.alignment === "position";
}
