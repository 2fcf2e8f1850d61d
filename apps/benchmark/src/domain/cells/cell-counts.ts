import type { Closeness } from "@switchyard/matching";

/** The outcome of the comparison of a cell. */
export type Outcome = "correct" | "correctlyEmpty" | "wrong" | "invented" | "missing";

/** The number of cells with each outcome. */
export type OutcomeCounts = Record<Outcome, number>;

/** Counts of the cells of a column, table, file or run. All are sums, so the counts of parts add up to those of the whole. */
export interface CellCounts {
  readonly outcomes: OutcomeCounts;
  /** The number of identical values. */
  strict: number;
  /** The number of values with a similarity of at least one half, including correct ones. */
  soft: number;
  /** The sum of all similarities in millionths. It is an integer, so that it does not depend on the order of addition. */
  similarity: number;
}

/** Precision, recall and F1, from 0 to 1, or null if there is no data for them. */
export interface Rates {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
}

/** The match that is required for a value to count as correct. */
export type Match = "strict" | "typed" | "soft";

const similarityUnits = 1_000_000;

/** Creates counts of no cells. */
export function createCellCounts(): CellCounts {
  return {
    outcomes: { correct: 0, correctlyEmpty: 0, wrong: 0, invented: 0, missing: 0 },
    strict: 0,
    soft: 0,
    similarity: 0,
  };
}

/** Adds a cell to the counts. */
export function addCell(
  counts: CellCounts,
  cell: { readonly outcome: Outcome; readonly closeness: Closeness; readonly similarity: number },
): void {
  counts.outcomes[cell.outcome] += 1;
  counts.similarity += Math.round(cell.similarity * similarityUnits);
  if (cell.outcome !== "correct" && cell.outcome !== "wrong") return;
  if (cell.closeness === "strict") counts.strict += 1;
  if (cell.closeness !== "none") counts.soft += 1;
}

/** Adds other counts to the counts. */
export function addCounts(counts: CellCounts, more: CellCounts): void {
  for (const outcome of Object.keys(counts.outcomes) as Outcome[]) counts.outcomes[outcome] += more.outcomes[outcome];
  counts.strict += more.strict;
  counts.soft += more.soft;
  counts.similarity += more.similarity;
}

/** Whether a cell is correct: it has the correct value, or is correctly empty. */
export function isCorrect({ outcome }: { readonly outcome: Outcome }): boolean {
  return outcome === "correct" || outcome === "correctlyEmpty";
}

/** Counts the scored cells. */
export function countCells({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.correctlyEmpty + outcomes.wrong + outcomes.invented + outcomes.missing;
}

/** Counts the accepted values, which are the support. */
export function countAccepted({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.wrong + outcomes.missing;
}

/** Counts the extracted values. */
export function countExtracted({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.wrong + outcomes.invented;
}

/** Counts the correct cells, including correctly empty ones. */
export function countCorrect({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.correctlyEmpty;
}

/** Computes the share of correct cells, or null without cells. */
export function computeSuccessRate(counts: CellCounts): number | null {
  return ratio(countCorrect(counts), countCells(counts));
}

/** Computes the mean similarity of all cells, or null without cells. */
export function computeMeanSimilarity(counts: CellCounts): number | null {
  return ratio(counts.similarity / similarityUnits, countCells(counts));
}

/**
 * Returns precision, recall and F1 of values. A wrong value lowers both precision and recall, as in SROIE, DUE and VRDU, because the
 * accepted value is missing too. If there are neither accepted nor extracted values, all are 1. Without extracted values, precision is 0;
 * without accepted values, recall is 1, as in Stickler.
 */
export function getRates(counts: CellCounts, match: Match = "typed"): Rates {
  const right = match === "typed" ? counts.outcomes.correct : counts[match];
  return computeRates(right, countExtracted(counts), countAccepted(counts));
}

/** Computes precision, recall and F1 from the numbers of correct, extracted and accepted items. */
export function computeRates(right: number, extracted: number, accepted: number): Rates {
  if (extracted + accepted === 0) return { precision: 1, recall: 1, f1: 1 };
  return {
    precision: ratio(right, extracted) ?? 0,
    recall: ratio(right, accepted) ?? 1,
    f1: (2 * right) / (extracted + accepted),
  };
}

/**
 * Computes the share of values that need no correction, where replacing a wrong value is one correction, not two.
 * KIEval, arXiv 2503.05488: TP / (TP + max(FP, FN)). Returns null without values.
 */
export function computeAlignedScore(counts: CellCounts): number | null {
  return ratio(counts.outcomes.correct, Math.max(countExtracted(counts), countAccepted(counts)));
}

/** Computes a ratio, or null if the divisor is 0. */
export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
