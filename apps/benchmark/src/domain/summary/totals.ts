import {
  acceptedIn,
  addCounts,
  cellsIn,
  countCell,
  extractedIn,
  noCells,
  rightCell,
  rightIn,
} from "../cells/cell-counts.ts";
import type { CellCounts } from "../cells/cell-counts.ts";
import type { FileScore } from "../files/file-score.ts";
import { addLatencies, addLatency, noLatencies } from "../statistics/latency.ts";
import type { LatencyCounts } from "../statistics/latency.ts";
import { addDrawn, addSums, noSums } from "../statistics/resampling.ts";
import type { ReplicateSums } from "../statistics/resampling.ts";
import type { ScoredColumn, ScoredConfiguration, ScoredTable } from "../tables/table-score.ts";

/** What is kept of a column or table. */
export interface ScopeTotals {
  readonly counts: CellCounts;
  /** Files with a cell in it. */
  files: number;
  /** The places of its sums in each replicate; null where every file has one cell, so that a plain proportion's interval serves. */
  readonly drawn: { readonly right: number; readonly cells: number } | null;
}

/** Counts of rows; `TableScore` says which. */
interface RowCounts {
  expectedRows: number;
  actualRows: number;
  rows: number;
  rightRows: number;
}

/** What is kept of a table besides. */
export interface TableTotals extends ScopeTotals, RowCounts {
  readonly table: ScoredTable;
  /** Files in which its rows could not be paired optimally. */
  approximateFiles: number;
}

/** What is kept of a column besides. */
export interface ColumnTotals extends ScopeTotals {
  readonly column: ScoredColumn;
  readonly table: ScoredTable;
}

/** The places of a run's own sums in each replicate. */
export const runSums = { anlsFiles: 0, right: 1, cells: 2, correct: 3, extracted: 4, accepted: 5, anls: 6 } as const;

/** All that a summary keeps. */
export interface Totals {
  readonly counts: CellCounts;
  files: number;
  failedFiles: number;
  exactFiles: number;
  rows: number;
  /** The sum of ANLS* in millionths, so that it does not depend on the order of adding. */
  anls: number;
  /** The sums of the run, its tables and columns in each replicate. */
  readonly drawn: ReplicateSums;
  readonly latencies: LatencyCounts;
  readonly tables: ReadonlyMap<string, TableTotals>;
  readonly columns: ReadonlyMap<string, ColumnTotals>;
}

/** In what part of one the ANLS* of files is summed. */
export const anlsUnits = 1_000_000;

/** The totals of no files, with sums for so many replicates. */
export function noTotals({ tables, columns }: ScoredConfiguration, replicates: number): Totals {
  let width: number = Object.keys(runSums).length;
  const scope = (drawn: boolean): ScopeTotals => ({
    counts: noCells(),
    files: 0,
    drawn: drawn ? { right: width++, cells: width++ } : null,
  });
  const rows = { expectedRows: 0, actualRows: 0, rows: 0, rightRows: 0, approximateFiles: 0 };
  const byTable = new Map(tables.map((table) => [table.slug, { table, ...rows, ...scope(true) }]));
  const byColumn = new Map(
    tables.flatMap((table) =>
      columns
        .filter(({ tableId, excludedFromExtraction }) => tableId === table.id && !excludedFromExtraction)
        .map((column) => [column.id, { column, table, ...scope(!table.isPrimary) }]),
    ),
  );
  return {
    counts: noCells(),
    files: 0,
    failedFiles: 0,
    exactFiles: 0,
    rows: 0,
    anls: 0,
    drawn: noSums(width, replicates),
    latencies: noLatencies(),
    tables: byTable,
    columns: byColumn,
  };
}

/** The cells of a column or table in one file. */
interface Tally {
  right: number;
  cells: number;
}

/** Adds a file, which the replicates draw so often. */
export function addFile(totals: Totals, score: FileScore, drawn: Uint8Array): void {
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
      countCell(scope.counts, cell);
      const tally = tallies.get(scope);
      const right = rightCell(cell) ? 1 : 0;
      if (!tally) tallies.set(scope, { right, cells: 1 });
      else {
        tally.right += right;
        tally.cells += 1;
      }
    }
  const ofRun: Record<keyof typeof runSums, number> = {
    // One file in the units of ANLS*, so that the ratio of both is a mean.
    anlsFiles: anlsUnits,
    right: rightIn(score.counts),
    cells: cellsIn(score.counts),
    correct: score.counts.outcomes.correct,
    extracted: extractedIn(score.counts),
    accepted: acceptedIn(score.counts),
    anls,
  };
  const places: number[] = Object.values(runSums);
  const numbers = Object.keys(runSums).map((name) => ofRun[name as keyof typeof runSums]);
  for (const [scope, { right, cells }] of tallies) {
    scope.files += 1;
    if (!scope.drawn) continue;
    places.push(scope.drawn.right, scope.drawn.cells);
    numbers.push(right, cells);
  }
  addDrawn(totals.drawn, drawn, { places, numbers });
}

/** Adds the totals of other files of the same configuration. */
export function addTotals(totals: Totals, more: Totals): void {
  totals.files += more.files;
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
