import { adjustByHolm } from "../statistics/paired-tests.ts";
import {
  addToGroups,
  bootstrapSamples,
  createGroups,
  exchange,
  resample,
  sumGroups,
} from "../statistics/paired-groups.ts";
import type { ScoredColumn } from "../tables/table-score.ts";
import { createDifferences } from "./differences.ts";
import { countNumbers, pairFile, runWidth } from "./paired-file.ts";
import type { CellPlace, ComparedResult } from "./paired-file.ts";
import { comparedMetrics, computeColumnFigures, computeRunFigures, subtract } from "./paired-figures.ts";
import type { ComparedMetric } from "./paired-figures.ts";
import type { SharedParts } from "./shared-columns.ts";
import { compareMetric } from "./verdict.ts";
import type { Evidence, MetricComparison } from "./verdict.ts";

/** A cell of a file. */
export interface ComparedCell extends CellPlace {
  readonly fileId: string;
}

/** The comparison of a column. The p values are adjusted for the number of columns. */
export interface ColumnComparison {
  readonly column: ScoredColumn;
  /** The slug of its table. */
  readonly table: string;
  readonly successRate: MetricComparison;
  readonly f1: MetricComparison;
}

/** The comparison of two runs over the files and columns that they share. */
export interface Comparison {
  readonly filesCompared: number;
  readonly aggregated: Readonly<Record<ComparedMetric, MetricComparison>>;
  readonly byColumn: readonly ColumnComparison[];
  /** The first cells that fail in the candidate only, in the order of files, tables, rows and columns. */
  readonly newlyFailing: readonly ComparedCell[];
  /** The first cells that failed in the baseline only. */
  readonly newlyPassing: readonly ComparedCell[];
  readonly newlyFailingCount: number;
  readonly newlyPassingCount: number;
  /** The number of cells that fail in both. */
  readonly stillWrong: number;
}

/** The settings of a comparison. */
export interface ComparisonOptions {
  /** The greatest difference that does not matter, from 0 to 1. */
  readonly margin: number;
  /** Whether the two runs have the same configuration and engine. */
  readonly sameSystem: boolean;
  /** The maximum number of cells in each list. */
  readonly maxCells: number;
}

/** Collects the results of two runs. Its size does not depend on the number of files. */
export interface ComparisonBuilder {
  /** Adds a file with its results in both runs. Each file must be added once, in the order of files. */
  add(fileId: string, baseline: ComparedResult, candidate: ComparedResult): void;
  /** Computes the comparison, and yields between steps of work. */
  compute(): Generator<void, Comparison>;
}

/** Creates a comparison of no files. */
export function createComparison(
  shared: SharedParts,
  { margin, sameSystem, maxCells }: ComparisonOptions,
): ComparisonBuilder {
  const columns = shared.tables.flatMap(({ table, columns: pairs }) =>
    pairs.map(({ column }) => ({ column, table: table.slug })),
  );
  const groups = createGroups(countNumbers(columns.length));
  const differences = createDifferences(columns.length);
  const cells = { newlyFailing: [] as ComparedCell[], newlyPassing: [] as ComparedCell[] };
  const counts = { newlyFailing: 0, newlyPassing: 0, stillWrong: 0 };

  function judge(evidence: Omit<Evidence, "files" | "identical" | "margin">): MetricComparison {
    const identical = sameSystem && counts.newlyFailing + counts.newlyPassing === 0;
    return compareMetric({ ...evidence, files: groups.files, identical, margin });
  }

  return {
    add(fileId, baseline, candidate) {
      const file = pairFile(shared, baseline, candidate, (change, place) => {
        if (cells[change].length < maxCells) cells[change].push({ fileId, ...place });
      });
      if (file === null) return;
      addToGroups(groups, file.numbers);
      differences.add(file.numbers);
      counts.newlyFailing += file.newlyFailing;
      counts.newlyPassing += file.newlyPassing;
      counts.stillWrong += file.stillWrong;
    },

    *compute() {
      const { files } = groups;
      const sums = sumGroups(groups);
      const [before, after] = [computeRunFigures(sums, 0, files), computeRunFigures(sums, runWidth, files)];
      const samples = comparedMetrics.map(createSamples);
      const columnSamples = columns.map(() => ({ successRate: createSamples(), f1: createSamples() }));
      yield* resample(groups, (drawn, sample) => {
        const [one, other] = [computeRunFigures(drawn, 0, files), computeRunFigures(drawn, runWidth, files)];
        for (const [index, metric] of comparedMetrics.entries())
          (samples[index] as Float64Array)[sample] = subtract(other[metric], one[metric]);
        for (const [place, { successRate, f1 }] of columnSamples.entries()) {
          const [old, now] = [computeColumnFigures(drawn, place, 0), computeColumnFigures(drawn, place, 1)];
          successRate[sample] = subtract(now.successRate, old.successRate);
          f1[sample] = subtract(now.f1, old.f1);
        }
      });
      const observed = comparedMetrics.map((metric) => Math.abs(subtract(after[metric], before[metric])));
      const pValues = yield* exchange(groups, runWidth, (one, other) => {
        const [old, now] = [computeRunFigures(one, 0, files), computeRunFigures(other, 0, files)];
        // Sums of fractions depend on their order in the last digits.
        return comparedMetrics.map(
          (metric, index) => Math.abs(subtract(now[metric], old[metric])) >= (observed[index] as number) - 1e-9,
        );
      });
      const aggregated = comparedMetrics.map((metric, index): [ComparedMetric, MetricComparison] => [
        metric,
        judge({
          baseline: before[metric],
          candidate: after[metric],
          samples: samples[index] as Float64Array,
          pValue: pValues[index] ?? 1,
          differs: differences.isMetricDifferent(metric),
        }),
      ]);
      const figures = columns.map(
        (_, place) => [computeColumnFigures(sums, place, 0), computeColumnFigures(sums, place, 1)] as const,
      );
      const compareColumns = (metric: "successRate" | "f1"): MetricComparison[] => {
        const tested = figures.map(([old, now], place) =>
          old[metric] === null || now[metric] === null ? null : differences.testColumn(place, metric),
        );
        const adjusted = adjustByHolm(tested);
        return figures.map(([old, now], place) =>
          judge({
            baseline: old[metric],
            candidate: now[metric],
            samples: columnSamples[place]?.[metric] ?? createSamples(),
            pValue: adjusted[place] ?? 1,
            differs: differences.isColumnDifferent(place),
          }),
        );
      };
      const [successRates, f1s] = [compareColumns("successRate"), compareColumns("f1")];
      return {
        filesCompared: files,
        aggregated: Object.fromEntries(aggregated) as Comparison["aggregated"],
        byColumn: columns.map((column, place) => ({
          ...column,
          successRate: successRates[place] as MetricComparison,
          f1: f1s[place] as MetricComparison,
        })),
        ...cells,
        newlyFailingCount: counts.newlyFailing,
        newlyPassingCount: counts.newlyPassing,
        stillWrong: counts.stillWrong,
      };
    },
  };
}

function createSamples(): Float64Array {
  return new Float64Array(bootstrapSamples);
}
