import { computeWilsonInterval } from "@switchyard/statistics";
import type { Interval } from "@switchyard/statistics";
import {
  countAccepted,
  computeAlignedScore,
  countCells,
  computeMeanSimilarity,
  getRates,
  computeRates,
  ratio,
  countCorrect,
  computeSuccessRate,
} from "../cells/cell-counts.ts";
import type { CellCounts, OutcomeCounts, Rates } from "../cells/cell-counts.ts";
import { computeLatencyMetrics } from "../statistics/latency.ts";
import type { LatencyMetrics } from "../statistics/latency.ts";
import { computeRatioInterval } from "../statistics/resampling.ts";
import type { ReplicateSums } from "../statistics/resampling.ts";
import { anlsUnits, runSumIndexes } from "./totals.ts";
import type { ColumnTotals, ScopeTotals, TableTotals, Totals } from "./totals.ts";

/** The minimum number of files for meaningful intervals and comparisons. */
export const minIntervalFiles = 30;

/** The metrics of cells, all from 0 to 1. They are null if there is no data for them. */
export interface CellMetrics extends Rates {
  /** The share of correct cells, including correctly empty ones. */
  readonly successRate: number | null;
  /** The interval of the success rate. */
  readonly ci95: Interval | null;
  /** The rates if only identical values count as correct. */
  readonly strict: Rates;
  /** The rates if values with a similarity of at least one half count as correct. */
  readonly soft: Rates;
  /** The mean similarity of all cells. */
  readonly similarity: number | null;
  /** The share of values that need no correction. */
  readonly alignedScore: number | null;
  readonly cells: number;
  readonly outcomes: OutcomeCounts;
}

/** The metrics of a run. */
export interface AggregatedMetrics extends CellMetrics {
  readonly precisionCi95: Interval | null;
  readonly recallCi95: Interval | null;
  readonly f1Ci95: Interval | null;
  /** The mean ANLS* of the files. */
  readonly anls: number | null;
  readonly anlsCi95: Interval | null;
  /** The mean F1 of the columns with accepted values. */
  readonly macroF1: number | null;
  /** The share of files whose cells are all correct. */
  readonly exactFileRate: number | null;
  readonly exactFileCi95: Interval | null;
  readonly totalFiles: number;
  readonly failedFiles: number;
  /** The number of files that were not scored, because no cell of them is labeled. They are not in `totalFiles`. */
  readonly leftOutFiles: number;
  readonly exactFiles: number;
  readonly totalRows: number;
  readonly totalCells: number;
  /** Whether there are at least {@link minIntervalFiles} files. */
  readonly enoughFiles: boolean;
}

/** The metrics of a table. */
export interface TableMetrics extends CellMetrics {
  readonly tableId: string;
  readonly slug: string;
  readonly files: number;
  readonly expectedRows: number;
  readonly actualRows: number;
  readonly rightRows: number;
  /** The rates of rows whose cells are all correct. */
  readonly row: Rates;
  /** The number of files with too many rows for an optimal pairing. */
  readonly approximateFiles: number;
}

/**
 * The metrics of a column. Precision, recall and F1 are null if no file has an accepted value, and all rates are null if no cell is
 * labeled.
 */
export interface ColumnMetrics extends CellMetrics {
  readonly columnId: string;
  /** The slug of the table. */
  readonly table: string;
  readonly slug: string;
  readonly sharedId: string | null;
  readonly files: number;
  /** The number of accepted values. */
  readonly support: number;
}

/** The metrics of a run: of all cells, and of each table and column in the order of the configuration. */
export interface Metrics {
  readonly aggregated: AggregatedMetrics;
  readonly byTable: readonly TableMetrics[];
  readonly byColumn: readonly ColumnMetrics[];
  readonly latency: LatencyMetrics;
}

const noRates: Rates = { precision: null, recall: null, f1: null };
const unsupported = { ...noRates, strict: noRates, soft: noRates };

/** Computes the metrics of cells. `interval` is the interval of the success rate. */
export function computeCellMetrics(counts: CellCounts, interval: Interval | null = null): CellMetrics {
  return {
    successRate: computeSuccessRate(counts),
    ci95: interval,
    ...getRates(counts),
    strict: getRates(counts, "strict"),
    soft: getRates(counts, "soft"),
    similarity: computeMeanSimilarity(counts),
    alignedScore: computeAlignedScore(counts),
    cells: countCells(counts),
    outcomes: { ...counts.outcomes },
  };
}

/** Computes the metrics of the totals of a summary. */
export function computeMetrics(totals: Totals): Metrics {
  const byColumn = [...totals.columns.values()].map((column) => computeColumnMetrics(column, totals.drawn));
  return {
    aggregated: computeAggregatedMetrics(totals, byColumn),
    byTable: [...totals.tables.values()].map((table) => computeTableMetrics(table, totals.drawn)),
    byColumn,
    latency: computeLatencyMetrics(totals.latencies),
  };
}

function computeAggregatedMetrics(
  { counts, files, drawn, ...totals }: Totals,
  byColumn: readonly ColumnMetrics[],
): AggregatedMetrics {
  const { right, cells, correct, extracted, accepted } = runSumIndexes;
  const interval = (value: number | null, numerator: number, ...denominators: number[]): Interval | null =>
    computeInterval(value, files, drawn, numerator, denominators);
  const metrics = computeCellMetrics(counts, interval(computeSuccessRate(counts), right, cells));
  const anls = ratio(totals.anls / anlsUnits, files);
  const supported = byColumn.flatMap(({ f1 }) => (f1 === null ? [] : [f1]));
  return {
    ...metrics,
    ...(metrics.cells === 0 ? unsupported : {}),
    precisionCi95: interval(metrics.precision, correct, extracted),
    recallCi95: interval(metrics.recall, correct, accepted),
    f1Ci95: interval(metrics.f1, correct, extracted, accepted),
    anls,
    anlsCi95: interval(anls, runSumIndexes.anls, runSumIndexes.anlsFiles),
    macroF1: ratio(
      supported.reduce((sum, f1) => sum + f1, 0),
      supported.length,
    ),
    exactFileRate: ratio(totals.exactFiles, files),
    exactFileCi95: computeWilsonInterval(totals.exactFiles, files),
    totalFiles: files,
    failedFiles: totals.failedFiles,
    leftOutFiles: totals.leftOutFiles,
    exactFiles: totals.exactFiles,
    totalRows: totals.rows,
    totalCells: metrics.cells,
    enoughFiles: files >= minIntervalFiles,
  };
}

function computeTableMetrics(totals: TableTotals, drawn: ReplicateSums): TableMetrics {
  const { table, files, expectedRows, actualRows, rightRows, approximateFiles } = totals;
  return {
    tableId: table.id,
    slug: table.slug,
    files,
    ...computeScopeMetrics(totals, drawn),
    ...(countCells(totals.counts) === 0 ? unsupported : {}),
    expectedRows,
    actualRows,
    rightRows,
    row: totals.rows === 0 ? noRates : computeRates(rightRows, actualRows, expectedRows),
    approximateFiles,
  };
}

function computeColumnMetrics(totals: ColumnTotals, drawn: ReplicateSums): ColumnMetrics {
  const support = countAccepted(totals.counts);
  const { id: columnId, slug, sharedId } = totals.column;
  const metrics = computeScopeMetrics(totals, drawn);
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

function computeScopeMetrics({ counts, files, drawn }: ScopeTotals, sums: ReplicateSums): CellMetrics {
  const interval = drawn
    ? computeInterval(computeSuccessRate(counts), files, sums, drawn.right, [drawn.cells])
    : computeWilsonInterval(countCorrect(counts), countCells(counts));
  return computeCellMetrics(counts, interval);
}

/**
 * Computes the bootstrap interval of a ratio. If the ratio is 0 or 1, all replicates are equal and the bootstrap interval would be empty.
 * The interval is then the Wilson interval, with one trial per file. It is null for a single file, which says nothing about others.
 */
function computeInterval(
  value: number | null,
  files: number,
  sums: ReplicateSums,
  numerator: number,
  denominators: readonly number[],
): Interval | null {
  if (value === null || files === 0) return null;
  if (value === 0 || value === 1) return computeWilsonInterval(value * files, files);
  return files < 2 ? null : computeRatioInterval(sums, numerator, denominators);
}
