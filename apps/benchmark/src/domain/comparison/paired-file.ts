import { codeOf, lastRightCode } from "./outcome-grid.ts";
import type { TableGrid } from "./outcome-grid.ts";
import type { SharedParts } from "./shared-columns.ts";

/** The result of a file in one of the runs, as a comparison needs it. */
export interface ComparedResult {
  /** The grids of its tables, in the order of the run's configuration. */
  readonly grids: readonly TableGrid[];
  readonly failed: boolean;
  /** From 0 to 1. */
  readonly anls: number;
}

/** A cell of the candidate. */
export interface CellPlace {
  readonly table: string;
  readonly row: number;
  readonly column: string;
}

/** The indexes of the numbers of a run in one file. */
export const runNumbers = { right: 0, cells: 1, correct: 2, extracted: 3, accepted: 4, anls: 5, exact: 6 } as const;
/** How many numbers of a run there are. */
export const runWidth = 7;
/** The indexes of the numbers of a column in one file. `values` counts extracted and accepted ones. */
export const columnNumbers = { right: 0, cells: 1, correct: 2, values: 3 } as const;
/** How many numbers of a column there are, for each of the runs. */
export const columnWidth = 4;

/** What the cells of a file add to a comparison. The numbers of the baseline come first. */
export interface PairedFile {
  /** The numbers of the runs, and then those of every shared column. */
  readonly numbers: Float64Array;
  readonly newlyFailing: number;
  readonly newlyPassing: number;
  readonly stillWrong: number;
}

/** Returns how many numbers of a file a comparison of this many columns sums. */
export function countNumbers(columns: number): number {
  return 2 * runWidth + columns * 2 * columnWidth;
}

/**
 * Compares the results of a file in two runs, over the columns that both score. A cell fails if it is wrong, invented or missing; one that
 * only one of the runs has, such as that of an invented row, does not fail in the other. Passes the places of cells that began or ceased to
 * fail to `note`, in the order of tables, rows and columns. Returns null if there is no cell to compare.
 */
export function pairFile(
  { tables, complete }: SharedParts,
  baseline: ComparedResult,
  candidate: ComparedResult,
  note: (change: "newlyFailing" | "newlyPassing", place: CellPlace) => void,
): PairedFile | null {
  const columns = tables.reduce((sum, table) => sum + table.columns.length, 0);
  const numbers = new Float64Array(countNumbers(columns));
  const counts = { newlyFailing: 0, newlyPassing: 0, stillWrong: 0 };
  let start = 2 * runWidth;
  for (const { table, columns: shared, ...indexes } of tables) {
    const [before, after] = [baseline.grids[indexes.baseline], candidate.grids[indexes.candidate]];
    const rows = Math.max(before?.rows ?? 0, after?.rows ?? 0);
    for (let row = 0; row < rows; row += 1) {
      for (let place = 0; place < shared.length; place += 1) {
        const pair = shared[place];
        if (pair === undefined) continue;
        const [one, other] = [getCode(before, row, pair.baseline), getCode(after, row, pair.candidate)];
        const from = start + place * 2 * columnWidth;
        addCode(numbers, 0, from, one);
        addCode(numbers, runWidth, from + columnWidth, other);
        const [failedBefore, fails] = [one > lastRightCode, other > lastRightCode];
        if (fails && failedBefore) counts.stillWrong += 1;
        else if (fails || failedBefore) {
          const change = fails ? "newlyFailing" : "newlyPassing";
          counts[change] += 1;
          note(change, { table: table.slug, row, column: pair.column.slug });
        }
      }
    }
    start += shared.length * 2 * columnWidth;
  }
  for (const [offset, result] of [
    [0, baseline],
    [runWidth, candidate],
  ] as const) {
    const [right, cells] = [offset + runNumbers.right, offset + runNumbers.cells];
    // The value of ANLS* is that of the whole file, so it means the same only if both runs score the same columns.
    numbers[offset + runNumbers.anls] = complete ? result.anls : NaN;
    numbers[offset + runNumbers.exact] = !result.failed && numbers[right] === numbers[cells] ? 1 : 0;
  }
  const cells = (numbers[runNumbers.cells] as number) + (numbers[runWidth + runNumbers.cells] as number);
  return cells === 0 ? null : { numbers, ...counts };
}

function getCode(grid: TableGrid | undefined, row: number, column: number): number {
  return grid === undefined || row >= grid.rows ? codeOf.none : (grid.codes[row * grid.width + column] ?? codeOf.none);
}

function addCode(numbers: Float64Array, run: number, column: number, code: number): void {
  if (code === codeOf.none) return;
  const right = code <= lastRightCode ? 1 : 0;
  const correct = code === codeOf.correct ? 1 : 0;
  const extracted = correct === 1 || code === codeOf.wrong || code === codeOf.invented ? 1 : 0;
  const accepted = correct === 1 || code === codeOf.wrong || code === codeOf.missing ? 1 : 0;
  add(numbers, run + runNumbers.right, right);
  add(numbers, run + runNumbers.cells, 1);
  add(numbers, run + runNumbers.correct, correct);
  add(numbers, run + runNumbers.extracted, extracted);
  add(numbers, run + runNumbers.accepted, accepted);
  add(numbers, column + columnNumbers.right, right);
  add(numbers, column + columnNumbers.cells, 1);
  add(numbers, column + columnNumbers.correct, correct);
  add(numbers, column + columnNumbers.values, extracted + accepted);
}

function add(numbers: Float64Array, index: number, number: number): void {
  numbers[index] = (numbers[index] as number) + number;
}
