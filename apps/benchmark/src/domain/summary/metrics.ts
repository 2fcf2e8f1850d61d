import {
  acceptedIn,
  alignedScore,
  cellsIn,
  meanSimilarity,
  rates,
  toRates,
  ratio,
  rightIn,
  successRate,
} from "../cells/cell-counts.ts";
import type { CellCounts, OutcomeCounts, Rates } from "../cells/cell-counts.ts";
import { latencyMetrics } from "../statistics/latency.ts";
import type { LatencyMetrics } from "../statistics/latency.ts";
import { ratioInterval } from "../statistics/resampling.ts";
import type { ReplicateSums } from "../statistics/resampling.ts";
import { anlsUnits, runSums } from "./totals.ts";
import type { ColumnTotals, ScopeTotals, TableTotals, Totals } from "./totals.ts";
import { wilson } from "../statistics/wilson.ts";
import type { Interval } from "../statistics/wilson.ts";

/** With fewer files intervals say little, and a comparison nothing. */
export const minIntervalFiles = 30;

/** Figures of cells, all from 0 to 1; null where nothing supports them. */
export interface CellMetrics extends Rates {
  /** Right cells, rightly empty ones among them, over all cells. */
  readonly successRate: number | null;
  /** Of the success rate. */
  readonly ci95: Interval | null;
  /** By values that are the same to the character. */
  readonly strict: Rates;
  /** By values that are at least half alike. */
  readonly soft: Rates;
  /** The mean over all cells. */
  readonly similarity: number | null;
  /** The share of values that need no correction. */
  readonly alignedScore: number | null;
  readonly cells: number;
  readonly outcomes: OutcomeCounts;
}

/** Figures of a run. */
export interface AggregatedMetrics extends CellMetrics {
  readonly precisionCi95: Interval | null;
  readonly recallCi95: Interval | null;
  readonly f1Ci95: Interval | null;
  /** The mean ANLS* of the files. */
  readonly anls: number | null;
  readonly anlsCi95: Interval | null;
  /** The mean F1 of columns for which something was accepted. */
  readonly macroF1: number | null;
  /** Files of which every cell is right, over all files. */
  readonly exactFileRate: number | null;
  readonly exactFileCi95: Interval | null;
  readonly totalFiles: number;
  readonly failedFiles: number;
  readonly exactFiles: number;
  readonly totalRows: number;
  readonly totalCells: number;
  /** Whether there are 30 files or more. */
  readonly enoughFiles: boolean;
}

/** Figures of a table. */
export interface TableMetrics extends CellMetrics {
  readonly tableId: string;
  readonly slug: string;
  readonly files: number;
  readonly expectedRows: number;
  readonly actualRows: number;
  readonly rightRows: number;
  /** Of rows of which every cell is right. */
  readonly row: Rates;
  /** Files that had too many rows to pair them optimally. */
  readonly approximateFiles: number;
}

/** Figures of a column. Precision, recall and F1 are null where nothing was accepted in any file. */
export interface ColumnMetrics extends CellMetrics {
  readonly columnId: string;
  /** The slug of the table. */
  readonly table: string;
  readonly slug: string;
  readonly sharedId: string | null;
  readonly files: number;
  /** How many values were accepted. */
  readonly support: number;
}

/** The figures of a run: of all cells, and by table and column in the order of the configuration. */
export interface Metrics {
  readonly aggregated: AggregatedMetrics;
  readonly byTable: readonly TableMetrics[];
  readonly byColumn: readonly ColumnMetrics[];
  readonly latency: LatencyMetrics;
}

const unknown: Rates = { precision: null, recall: null, f1: null };
const unsupported = { ...unknown, strict: unknown, soft: unknown };

/** The figures of counts: of a file, say. `interval` is that of the success rate. */
export function cellMetrics(counts: CellCounts, interval: Interval | null = null): CellMetrics {
  return {
    successRate: successRate(counts),
    ci95: interval,
    ...rates(counts),
    strict: rates(counts, "strict"),
    soft: rates(counts, "soft"),
    similarity: meanSimilarity(counts),
    alignedScore: alignedScore(counts),
    cells: cellsIn(counts),
    outcomes: { ...counts.outcomes },
  };
}

/** The figures of what a summary keeps. */
export function computeMetrics(totals: Totals): Metrics {
  const byColumn = [...totals.columns.values()].map((column) => columnMetrics(column, totals.drawn));
  return {
    aggregated: aggregated(totals, byColumn),
    byTable: [...totals.tables.values()].map((table) => tableMetrics(table, totals.drawn)),
    byColumn,
    latency: latencyMetrics(totals.latencies),
  };
}

function aggregated(
  { counts, files, drawn, ...totals }: Totals,
  byColumn: readonly ColumnMetrics[],
): AggregatedMetrics {
  const { right, cells, correct, extracted, accepted } = runSums;
  const interval = (value: number | null, part: number, ...wholes: number[]): Interval | null =>
    getInterval(value, files, drawn, part, wholes);
  const metrics = cellMetrics(counts, interval(successRate(counts), right, cells));
  const anls = ratio(totals.anls / anlsUnits, files);
  const supported = byColumn.flatMap(({ f1 }) => (f1 === null ? [] : [f1]));
  return {
    ...metrics,
    ...(metrics.cells === 0 ? unsupported : {}),
    precisionCi95: interval(metrics.precision, correct, extracted),
    recallCi95: interval(metrics.recall, correct, accepted),
    f1Ci95: interval(metrics.f1, correct, extracted, accepted),
    anls,
    anlsCi95: interval(anls, runSums.anls, runSums.anlsFiles),
    macroF1: ratio(
      supported.reduce((sum, f1) => sum + f1, 0),
      supported.length,
    ),
    exactFileRate: ratio(totals.exactFiles, files),
    exactFileCi95: wilson(totals.exactFiles, files),
    totalFiles: files,
    failedFiles: totals.failedFiles,
    exactFiles: totals.exactFiles,
    totalRows: totals.rows,
    totalCells: metrics.cells,
    enoughFiles: files >= minIntervalFiles,
  };
}

function tableMetrics(totals: TableTotals, drawn: ReplicateSums): TableMetrics {
  const { table, files, expectedRows, actualRows, rightRows, approximateFiles } = totals;
  return {
    tableId: table.id,
    slug: table.slug,
    files,
    ...scopeMetrics(totals, drawn),
    ...(cellsIn(totals.counts) === 0 ? unsupported : {}),
    expectedRows,
    actualRows,
    rightRows,
    row: totals.rows === 0 ? unknown : toRates(rightRows, actualRows, expectedRows),
    approximateFiles,
  };
}

function columnMetrics(totals: ColumnTotals, drawn: ReplicateSums): ColumnMetrics {
  const support = acceptedIn(totals.counts);
  const { id: columnId, slug, sharedId } = totals.column;
  const metrics = scopeMetrics(totals, drawn);
  return {
    columnId,
    table: totals.table.slug,
    slug,
    sharedId: sharedId ?? null,
    files: totals.files,
    support,
    ...metrics,
    ...(support === 0 ? unsupported : {}),
  };
}

function scopeMetrics({ counts, files, drawn }: ScopeTotals, sums: ReplicateSums): CellMetrics {
  const interval = drawn
    ? getInterval(successRate(counts), files, sums, drawn.right, [drawn.cells])
    : wilson(rightIn(counts), cellsIn(counts));
  return cellMetrics(counts, interval);
}

/**
 * The bootstrap interval of a ratio. Where all is right or nothing is, every replicate says the same and the bootstrap sees no doubt;
 * the interval is then that of as many successes, or failures, as there are files. One file alone says nothing about others: null.
 */
function getInterval(
  value: number | null,
  files: number,
  sums: ReplicateSums,
  part: number,
  wholes: readonly number[],
): Interval | null {
  if (value === null || files === 0) return null;
  if (value === 0 || value === 1) return wilson(value * files, files);
  return files < 2 ? null : ratioInterval(sums, part, wholes);
}
