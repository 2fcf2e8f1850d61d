import {
  countAccepted,
  addCounts,
  countCells,
  addCell,
  countExtracted,
  createCellCounts,
  isCorrect,
  countCorrect,
} from "../cells/cell-counts.ts";
import type { CellCounts } from "../cells/cell-counts.ts";
import type { FileScore } from "../files/file-score.ts";
import { addLatencies, addLatency, createLatencyCounts } from "../statistics/latency.ts";
import type { LatencyCounts } from "../statistics/latency.ts";
import { addFileNumbers, addSums, createReplicateSums } from "../statistics/resampling.ts";
import type { ReplicateSums } from "../statistics/resampling.ts";
import type { ScoredColumn, ScoredConfiguration, ScoredTable } from "../tables/table-score.ts";

/** The totals of a column or table. */
export interface ScopeTotals {
  readonly counts: CellCounts;
  /** The number of files with cells in it. */
  files: number;
  /** The indexes of its sums in each replicate. Null if every file has one cell, because the interval of a proportion is then sufficient. */
  readonly drawn: { readonly right: number; readonly cells: number } | null;
}

/** Counts of rows, as in `TableScore`. */
interface RowCounts {
  expectedRows: number;
  actualRows: number;
  rows: number;
  rightRows: number;
}

/** The totals of a table. */
export interface TableTotals extends ScopeTotals, RowCounts {
  readonly table: ScoredTable;
  /** The number of files in which its rows could not be paired optimally. */
  approximateFiles: number;
}

/** The totals of a column. */
export interface ColumnTotals extends ScopeTotals {
  readonly column: ScoredColumn;
  readonly table: ScoredTable;
}

/** The indexes of the sums of the run in each replicate. */
export const runSumIndexes = {
  anlsFiles: 0,
  right: 1,
  cells: 2,
  correct: 3,
  extracted: 4,
  accepted: 5,
  anls: 6,
} as const;

/** The totals of a summary. */
export interface Totals {
  readonly counts: CellCounts;
  /** The number of scored files, including failed ones. */
  files: number;
  /** The number of files that were not scored, because no cell of them is labeled. */
  leftOutFiles: number;
  failedFiles: number;
  exactFiles: number;
  rows: number;
  /** The sum of ANLS* in millionths. It is an integer, so that it does not depend on the order of addition. */
  anls: number;
  /** The sums of the run, its tables and its columns in each replicate. */
  readonly drawn: ReplicateSums;
  readonly latencies: LatencyCounts;
  readonly tables: ReadonlyMap<string, TableTotals>;
  readonly columns: ReadonlyMap<string, ColumnTotals>;
}

/** The units per 1 in which the ANLS* of files is summed. */
export const anlsUnits = 1_000_000;

/** Creates the totals of no files. */
export function createTotals({ tables, columns }: ScoredConfiguration, replicates: number): Totals {
  let width: number = Object.keys(runSumIndexes).length;
  const createScope = (drawn: boolean): ScopeTotals => ({
    counts: createCellCounts(),
    files: 0,
    drawn: drawn ? { right: width++, cells: width++ } : null,
  });
  const rows = { expectedRows: 0, actualRows: 0, rows: 0, rightRows: 0, approximateFiles: 0 };
  const byTable = new Map(tables.map((table) => [table.slug, { table, ...rows, ...createScope(true) }]));
  const byColumn = new Map(
    tables.flatMap((table) =>
      columns
        .filter(({ tableId, excludedFromExtraction }) => tableId === table.id && !excludedFromExtraction)
        .map((column) => [column.id, { column, table, ...createScope(!table.isPrimary) }]),
    ),
  );
  return {
    counts: createCellCounts(),
    files: 0,
    leftOutFiles: 0,
    failedFiles: 0,
    exactFiles: 0,
    rows: 0,
    anls: 0,
    drawn: createReplicateSums(width, replicates),
    latencies: createLatencyCounts(),
    tables: byTable,
    columns: byColumn,
  };
}

/** The cells of a column or table in one file. */
interface Tally {
  right: number;
  cells: number;
}

/** Adds a file. `drawn` contains the number of times that each replicate draws it. A file that is left out is only counted. */
export function addFile(totals: Totals, score: FileScore, drawn: Uint8Array): void {
  if (score.leftOut) {
    totals.leftOutFiles += 1;
    return;
  }
  totals.files += 1;
  totals.failedFiles += score.failed ? 1 : 0;
  totals.exactFiles += score.exact ? 1 : 0;
  const anls = Math.round(score.anls * anlsUnits);
  totals.anls += anls;
  addLatency(totals.latencies, score.extractMs);
  addCounts(totals.counts, score.counts);
  for (const rows of score.tables) {
    const table = totals.tables.get(rows.table);
    totals.rows += rows.rows;
    if (table) addRows(table, rows, rows.alignment === "approximate" ? 1 : 0);
  }
  const tallies = new Map<ScopeTotals, Tally>();
  for (const cell of score.cells)
    for (const scope of [totals.tables.get(cell.table), totals.columns.get(cell.columnId)]) {
      if (!scope) continue;
      addCell(scope.counts, cell);
      const tally = tallies.get(scope);
      const right = isCorrect(cell) ? 1 : 0;
      if (!tally) tallies.set(scope, { right, cells: 1 });
      else {
        tally.right += right;
        tally.cells += 1;
      }
    }
  const runNumbers: Record<keyof typeof runSumIndexes, number> = {
    // In the same units as ANLS*, so that the ratio of the two sums is a mean.
    anlsFiles: anlsUnits,
    right: countCorrect(score.counts),
    cells: countCells(score.counts),
    correct: score.counts.outcomes.correct,
    extracted: countExtracted(score.counts),
    accepted: countAccepted(score.counts),
    anls,
  };
  const indexes: number[] = Object.values(runSumIndexes);
  const numbers = Object.keys(runSumIndexes).map((name) => runNumbers[name as keyof typeof runSumIndexes]);
  for (const [scope, { right, cells }] of tallies) {
    scope.files += 1;
    if (!scope.drawn) continue;
    indexes.push(scope.drawn.right, scope.drawn.cells);
    numbers.push(right, cells);
  }
  addFileNumbers(totals.drawn, drawn, { indexes, numbers });
}

/** Adds the totals of other files with the same configuration. */
export function addTotals(totals: Totals, more: Totals): void {
  totals.files += more.files;
  totals.leftOutFiles += more.leftOutFiles;
  totals.failedFiles += more.failedFiles;
  totals.exactFiles += more.exactFiles;
  totals.rows += more.rows;
  totals.anls += more.anls;
  addCounts(totals.counts, more.counts);
  addLatencies(totals.latencies, more.latencies);
  addSums(totals.drawn, more.drawn);
  for (const [slug, table] of more.tables) {
    const own = totals.tables.get(slug);
    if (!own) continue;
    addRows(own, table, table.approximateFiles);
    addScope(own, table);
  }
  for (const [id, column] of more.columns) {
    const own = totals.columns.get(id);
    if (own) addScope(own, column);
  }
}

function addRows(table: TableTotals, more: RowCounts, approximateFiles: number): void {
  table.expectedRows += more.expectedRows;
  table.actualRows += more.actualRows;
  table.rows += more.rows;
  table.rightRows += more.rightRows;
  table.approximateFiles += approximateFiles;
}

function addScope(scope: ScopeTotals, more: ScopeTotals): void {
  addCounts(scope.counts, more.counts);
  scope.files += more.files;
}
