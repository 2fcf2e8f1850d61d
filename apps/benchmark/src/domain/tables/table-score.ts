import { rightCell } from "../cells/cell-counts.ts";
import type { Outcome } from "../cells/cell-counts.ts";
import { cellMatch, prepared } from "../cells/cell-match.ts";
import type { Closeness, PreparedValue } from "../cells/cell-match.ts";
import type { Scalar, ValueTable } from "../cells/cell-value.ts";
import { alignByPosition, alignRows } from "./row-alignment.ts";
import type { AlignedColumn, AlignedRows, Alignment, PreparedRow } from "./row-alignment.ts";

/** A column as scoring needs it; those of a configuration are. */
export interface ScoredColumn extends AlignedColumn {
  readonly id: string;
  readonly tableId: string;
  readonly slug: string;
  readonly sharedId?: string | undefined;
  readonly excludedFromExtraction: boolean;
}

/** A table as scoring needs it; those of a configuration are. */
export interface ScoredTable {
  readonly id: string;
  readonly slug: string;
  /** Whether it is the table of the document itself, with one row. */
  readonly isPrimary: boolean;
}

/** A configuration as scoring needs it. */
export interface ScoredConfiguration {
  readonly tables: readonly ScoredTable[];
  readonly columns: readonly ScoredColumn[];
}

/** A cell with what was accepted and what was extracted. */
export interface CellScore {
  /** The slug of the table. */
  readonly table: string;
  /** The slug of the column. */
  readonly column: string;
  readonly columnId: string;
  /** Columns of different models with the same one mean the same thing. */
  readonly sharedId: string | null;
  /** From 0: first the rows of the accepted values in their order, then the invented ones. The same in every run over these values. */
  readonly row: number;
  /** The extracted row, from 0; null when it is missing. */
  readonly actualRow: number | null;
  readonly expected: Scalar;
  readonly actual: Scalar;
  readonly outcome: Outcome;
  /** "typed" and "strict" are right, "soft" is nearly, where both have a value. */
  readonly closeness: Closeness;
  /** From 0 to 1. */
  readonly similarity: number;
}

/** The rows of a table of a file. */
export interface TableScore {
  readonly table: string;
  readonly alignment: Alignment;
  readonly expectedRows: number;
  readonly actualRows: number;
  /** Pairs of rows; those that are missing or invented count as one each. */
  readonly rows: number;
  /** Pairs of rows of which every cell is right. */
  readonly rightRows: number;
}

/** A table of a file, its rows paired. */
export interface ComparedTable {
  readonly slug: string;
  /** Those that are scored. */
  readonly columns: readonly ScoredColumn[];
  readonly expected: readonly PreparedRow[];
  readonly actual: readonly PreparedRow[];
  /** How many rows the accepted values have, empty ones included. */
  readonly expectedPlaces: number;
  readonly aligned: AlignedRows;
}

/** The rows of a table in pairs, without the columns that are not scored and, but for the document's own table, without empty rows. */
export function compareTable(
  { id, slug, isPrimary }: ScoredTable,
  allColumns: readonly ScoredColumn[],
  expectedTables: readonly ValueTable[],
  actualTables: readonly ValueTable[],
): ComparedTable {
  const columns = allColumns.filter((column) => column.tableId === id && !column.excludedFromExtraction);
  const expected = getRows(columns, expectedTables, slug, isPrimary);
  const actual = getRows(columns, actualTables, slug, isPrimary);
  const aligned = isPrimary ? alignByPosition(expected, actual) : alignRows(columns, expected, actual);
  const expectedPlaces = expectedTables.reduce((sum, table) => sum + (table.slug === slug ? table.rows.length : 0), 0);
  return { slug, columns, expected, actual, expectedPlaces, aligned };
}

/** What became of the cells of a table. Of a failed file, only accepted values are cells. */
export function scoreTable(table: ComparedTable, failed: boolean): { score: TableScore; cells: CellScore[] } {
  const { aligned, slug, expected, actual } = table;
  const cells: CellScore[] = [];
  let invented = Math.max(table.expectedPlaces, isDocument(table) ? 1 : 0);
  let rightRows = 0;
  for (const pair of aligned.pairs) {
    const row = pair.expected?.place ?? invented++;
    const from = cells.length;
    table.columns.forEach((column, index) => {
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
    if (pair.expected && pair.actual && !failed && cells.slice(from).every(rightCell)) rightRows += 1;
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
  const match = cellMatch(column, expected, actual);
  const right = match.closeness === "strict" || match.closeness === "typed";
  return { ...values, outcome: right ? "correct" : "wrong", ...match };
}

function valueIn(column: ScoredColumn, values: Readonly<Record<string, Scalar | undefined>>): PreparedValue | null {
  return Object.hasOwn(values, column.slug) ? prepared(column, values[column.slug]) : null;
}

function getRows(
  columns: readonly ScoredColumn[],
  tables: readonly ValueTable[],
  slug: string,
  isPrimary: boolean,
): PreparedRow[] {
  const rows = tables
    .filter((table) => table.slug === slug)
    .flatMap((table) => table.rows)
    .map(({ values }, place) => ({ place, cells: columns.map((column) => valueIn(column, values)) }));
  if (!isPrimary) return rows.filter((row) => row.cells.some((cell) => cell !== null));
  return rows.length > 0 ? rows : [{ place: 0, cells: columns.map(() => null) }];
}

function isDocument({ aligned }: ComparedTable): boolean {
  return aligned.alignment === "position";
}
