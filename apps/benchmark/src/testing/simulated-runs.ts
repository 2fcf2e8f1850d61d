import { createComparison } from "../domain/comparison/comparison.ts";
import type { Comparison } from "../domain/comparison/comparison.ts";
import { codeOf } from "../domain/comparison/outcome-grid.ts";
import type { ComparedResult } from "../domain/comparison/paired-file.ts";
import { pairColumns } from "../domain/comparison/shared-columns.ts";
import { createConfiguration } from "./scoring.ts";

/** How two simulated models read documents. */
export interface SimulatedModels {
  readonly files: number;
  readonly columns: number;
  /** The number of rows of every file. With one, the table is the primary one. */
  readonly rows: number;
  /** The mean share of correct cells of the baseline. A third of the files is hard, with three times as many errors as the others. */
  readonly successRate: number;
  /** How many more of the cells the candidate reads wrong, as a share of all. */
  readonly drop: number;
  /** The share of cells in which both models err together. */
  readonly together: number;
}

/** Creates a generator of numbers from 0 to 1: that of Park and Miller. */
export function createSimulationRandom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Runs the generator of a computation to its end, and returns its result. */
export function toEnd<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Compares two runs of simulated models over this many simulated files. */
export function compareSimulated(models: SimulatedModels, random: () => number, margin = 0.01): Comparison {
  const { files, columns, rows, successRate, drop, together } = models;
  const definitions = Array.from({ length: columns }, (_, index) => [`column_${String(index)}`] as const);
  const configuration = createConfiguration(
    rows === 1 ? { document: definitions } : { document: [], items: definitions },
  );
  const shared = pairColumns(configuration, configuration);
  const comparison = createComparison(shared, { margin, sameSystem: false, maxCells: 10 });
  const easy = (1 - successRate) / (5 / 3);
  for (let file = 0; file < files; file += 1) {
    const wrong = random() < 1 / 3 ? 3 * easy : easy;
    const codes = [new Uint8Array(rows * columns), new Uint8Array(rows * columns)];
    for (let cell = 0; cell < rows * columns; cell += 1) {
      const first = random();
      const second = random() < together ? first : random();
      for (const [run, number, share] of [
        [0, first, wrong],
        [1, second, wrong + drop],
      ] as const)
        (codes[run] as Uint8Array)[cell] = number < share ? codeOf.wrong : codeOf.correct;
    }
    const [baseline, candidate] = codes.map((grid): ComparedResult => {
      const table = { rows, width: columns, codes: grid };
      const right = grid.reduce((sum, code) => sum + (code === codeOf.correct ? 1 : 0), 0);
      const empty = { rows: 0, width: 0, codes: new Uint8Array(0) };
      return { grids: rows === 1 ? [table] : [empty, table], failed: false, anls: right / grid.length };
    });
    comparison.add(`fil_${String(file)}`, baseline as ComparedResult, candidate as ComparedResult);
  }
  return toEnd(comparison.compute());
}
