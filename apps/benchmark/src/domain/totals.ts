import { acceptedIn, addCounts, cellsIn, countCell, extractedIn, noCells, rightCell, rightIn } from "./cell-counts.ts";
import type { CellCounts } from "./cell-counts.ts";
import type { FileScore } from "./file-score.ts";
import { addLatencies, addLatency, noLatencies } from "./latency.ts";
import type { LatencyCounts } from "./latency.ts";
import { addDrawn, addSums } from "./resampling.ts";
import type { ReplicateSums } from "./resampling.ts";
import type { ScoredColumn, ScoredConfiguration, ScoredTable } from "./table-score.ts";

/** What is kept of a column or table. */
export interface ScopeTotals {
  readonly counts: CellCounts;
  /** Files with a cell in it. */
  files: number;
  /** Right cells and all cells in each replicate; null where every file has one cell, so that a plain proportion's interval serves. */
  readonly drawn: { readonly right: ReplicateSums; readonly cells: ReplicateSums } | null;
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

const runSums = ["files", "right", "cells", "correct", "extracted", "accepted", "anls"] as const;

/** The sums over files of which ratios have intervals. */
export type RunSums = Readonly<Record<(typeof runSums)[number], ReplicateSums>>;

/** All that a summary keeps. */
export interface Totals {
  readonly counts: CellCounts;
  files: number;
  failedFiles: number;
  exactFiles: number;
  rows: number;
  /** The sum of ANLS* in millionths, so that it does not depend on the order of adding. */
  anls: number;
  readonly drawn: RunSums;
  readonly latencies: LatencyCounts;
  readonly tables: ReadonlyMap<string, TableTotals>;
  readonly columns: ReadonlyMap<string, ColumnTotals>;
}

/** In what part of one the ANLS* of files is summed. */
export const anlsUnits = 1_000_000;

/** The totals of no files, with sums for so many replicates. */
export function noTotals({ tables, columns }: ScoredConfiguration, replicates: number): Totals {
  const sums = (): ReplicateSums => new Float64Array(replicates);
  const scope = (drawn: boolean): ScopeTotals => ({
    counts: noCells(),
    files: 0,
    drawn: drawn ? { right: sums(), cells: sums() } : null,
  });
  const rows = { expectedRows: 0, actualRows: 0, rows: 0, rightRows: 0, approximateFiles: 0 };
  return {
    counts: noCells(),
    files: 0,
    failedFiles: 0,
    exactFiles: 0,
    rows: 0,
    anls: 0,
    drawn: Object.fromEntries(runSums.map((name) => [name, sums()])) as RunSums,
    latencies: noLatencies(),
    tables: new Map(tables.map((table) => [table.slug, { table, ...rows, ...scope(true) }])),
    columns: new Map(
      tables.flatMap((table) =>
        columns
          .filter(({ tableId, excludedFromExtraction }) => tableId === table.id && !excludedFromExtraction)
          .map((column) => [column.id, { column, table, ...scope(!table.isPrimary) }]),
      ),
    ),
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
  for (const [scope, { right, cells }] of tallies) {
    scope.files += 1;
    if (!scope.drawn) continue;
    addDrawn(scope.drawn.right, drawn, right);
    addDrawn(scope.drawn.cells, drawn, cells);
  }
  const numbers: Record<keyof RunSums, number> = {
    files: 1,
    right: rightIn(score.counts),
    cells: cellsIn(score.counts),
    correct: score.counts.outcomes.correct,
    extracted: extractedIn(score.counts),
    accepted: acceptedIn(score.counts),
    anls,
  };
  for (const name of runSums) addDrawn(totals.drawn[name], drawn, numbers[name]);
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
  for (const name of runSums) addSums(totals.drawn[name], more.drawn[name]);
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
  if (!scope.drawn || !more.drawn) return;
  addSums(scope.drawn.right, more.drawn.right);
  addSums(scope.drawn.cells, more.drawn.cells);
}
