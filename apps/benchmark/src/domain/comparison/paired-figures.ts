import { computeRates, ratio } from "../cells/cell-counts.ts";
import { columnNumbers, columnWidth, runNumbers, runWidth } from "./paired-file.ts";

/** The metrics of runs that are compared. */
export const comparedMetrics = ["successRate", "precision", "recall", "f1", "anls", "exactFileRate"] as const;
/** The name of a metric that is compared. */
export type ComparedMetric = (typeof comparedMetrics)[number];

/** The numbers that each metric is computed from. */
export const numbersOfMetric: Readonly<Record<ComparedMetric, readonly (keyof typeof runNumbers)[]>> = {
  successRate: ["right", "cells"],
  precision: ["correct", "extracted"],
  recall: ["correct", "accepted"],
  f1: ["correct", "extracted", "accepted"],
  anls: ["anls"],
  exactFileRate: ["exact"],
};

/** Computes the metrics of a run from its sums, which begin at an index. They are null if there are no cells, and ANLS* if it is unknown. */
export function computeRunFigures(
  sums: Float64Array,
  start: number,
  files: number,
): Readonly<Record<ComparedMetric, number | null>> {
  const get = (name: keyof typeof runNumbers): number => sums[start + runNumbers[name]] as number;
  const cells = get("cells");
  const rates = computeRates(get("correct"), get("extracted"), get("accepted"));
  const { precision, recall, f1 } = cells === 0 ? noRates : rates;
  const anls = get("anls");
  return {
    successRate: ratio(get("right"), cells),
    precision,
    recall,
    f1,
    anls: Number.isNaN(anls) ? null : ratio(anls, files),
    exactFileRate: ratio(get("exact"), files),
  };
}

/** Computes the figures of a column of one of the runs: null without cells, and the F1 score is also null without values. */
export function computeColumnFigures(
  sums: Float64Array,
  place: number,
  run: number,
): { readonly successRate: number | null; readonly f1: number | null } {
  const start = getColumnStart(place) + run * columnWidth;
  const values = sums[start + columnNumbers.values] as number;
  return {
    successRate: ratio(sums[start + columnNumbers.right] as number, sums[start + columnNumbers.cells] as number),
    f1: ratio(2 * (sums[start + columnNumbers.correct] as number), values),
  };
}

/** Returns the index of the first number of a column. */
export function getColumnStart(place: number): number {
  return 2 * runWidth + place * 2 * columnWidth;
}

/** Computes a difference, which is NaN if one of the figures is null. */
export function subtract(one: number | null, other: number | null): number {
  return one === null || other === null ? NaN : one - other;
}

const noRates = { precision: null, recall: null, f1: null };
