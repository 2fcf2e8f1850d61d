import { computeMcNemarP } from "../statistics/paired-tests.ts";
import { columnNumbers, columnWidth, runNumbers, runWidth } from "./paired-file.ts";
import { getColumnStart, numbersOfMetric } from "./paired-figures.ts";
import type { ComparedMetric } from "./paired-figures.ts";

/** Which numbers differ between the runs, and in how many files a column is better or worse. */
export interface Differences {
  /** Adds the numbers of a file. */
  add(numbers: Float64Array): void;
  /** Whether a file differs in the numbers that a metric is computed from. */
  isMetricDifferent(metric: ComparedMetric): boolean;
  /** Whether a file differs in the numbers of a column. */
  isColumnDifferent(place: number): boolean;
  /** The p value of McNemar's test over files: fewer wrong cells, or fewer wrong values for the F1 score, against more. */
  testColumn(place: number, figure: "successRate" | "f1"): number;
}

/** The numbers of files with fewer and with more faults than in the baseline. */
interface Signs {
  better: number;
  worse: number;
}

/** Creates the differences of no files between runs with this many shared columns. */
export function createDifferences(columns: number): Differences {
  const run = new Uint8Array(runWidth);
  const byColumn = Array.from({ length: columns }, () => ({
    isDifferent: false,
    successRate: { better: 0, worse: 0 },
    f1: { better: 0, worse: 0 },
  }));

  return {
    add(numbers) {
      for (let index = 0; index < runWidth; index += 1)
        if (numbers[index] !== numbers[runWidth + index]) run[index] = 1;
      for (const [place, column] of byColumn.entries()) {
        const start = getColumnStart(place);
        if (!isDifferent(numbers, start)) continue;
        column.isDifferent = true;
        addSign(column.successRate, countWrongCells(numbers, start), countWrongCells(numbers, start + columnWidth));
        addSign(column.f1, countWrongValues(numbers, start), countWrongValues(numbers, start + columnWidth));
      }
    },
    isMetricDifferent: (metric) => numbersOfMetric[metric].some((name) => run[runNumbers[name]] === 1),
    isColumnDifferent: (place) => byColumn[place]?.isDifferent === true,
    testColumn(place, figure) {
      const { better, worse } = byColumn[place]?.[figure] ?? { better: 0, worse: 0 };
      return computeMcNemarP(better, worse);
    },
  };
}

function isDifferent(numbers: Float64Array, start: number): boolean {
  for (let index = start; index < start + columnWidth; index += 1)
    if (numbers[index] !== numbers[index + columnWidth]) return true;
  return false;
}

function addSign(signs: Signs, before: number, after: number): void {
  if (after < before) signs.better += 1;
  if (after > before) signs.worse += 1;
}

function countWrongCells(numbers: Float64Array, start: number): number {
  return (numbers[start + columnNumbers.cells] as number) - (numbers[start + columnNumbers.right] as number);
}

/** A wrong value is an extracted and an accepted one, so it counts twice. */
function countWrongValues(numbers: Float64Array, start: number): number {
  return (numbers[start + columnNumbers.values] as number) - 2 * (numbers[start + columnNumbers.correct] as number);
}
