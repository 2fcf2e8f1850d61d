import type { Closeness } from "./cell-match.ts";

/** What became of a cell. */
export type Outcome = "correct" | "correctlyEmpty" | "wrong" | "invented" | "missing";

/** Counts of cells by what became of them. */
export type OutcomeCounts = Record<Outcome, number>;

/** Counts of the cells of a column, table, file or run; all of them are sums, so counts of parts add up to those of the whole. */
export interface CellCounts {
  readonly outcomes: OutcomeCounts;
  /** Values that are the same to the character. */
  strict: number;
  /** Values that are at least half alike, the right ones among them. */
  soft: number;
  /** The sum of all similarities, in millionths, so that it does not depend on the order of adding. */
  similarity: number;
}

/** How right values are, from 0 to 1; null where nothing supports it. */
export interface Rates {
  readonly precision: number | null;
  readonly recall: number | null;
  readonly f1: number | null;
}

/** Which values count as right. */
export type Match = "strict" | "typed" | "soft";

const similarityUnits = 1_000_000;

/** No cells. */
export function noCells(): CellCounts {
  return {
    outcomes: { correct: 0, correctlyEmpty: 0, wrong: 0, invented: 0, missing: 0 },
    strict: 0,
    soft: 0,
    similarity: 0,
  };
}

/** Adds a cell to counts. */
export function countCell(
  counts: CellCounts,
  cell: { readonly outcome: Outcome; readonly closeness: Closeness; readonly similarity: number },
): void {
  counts.outcomes[cell.outcome] += 1;
  counts.similarity += Math.round(cell.similarity * similarityUnits);
  if (cell.outcome !== "correct" && cell.outcome !== "wrong") return;
  if (cell.closeness === "strict") counts.strict += 1;
  if (cell.closeness !== "none") counts.soft += 1;
}

/** Adds counts to counts. */
export function addCounts(counts: CellCounts, more: CellCounts): void {
  for (const outcome of Object.keys(counts.outcomes) as Outcome[]) counts.outcomes[outcome] += more.outcomes[outcome];
  counts.strict += more.strict;
  counts.soft += more.soft;
  counts.similarity += more.similarity;
}

/** Whether a cell is right: the right value, or rightly none. */
export function rightCell({ outcome }: { readonly outcome: Outcome }): boolean {
  return outcome === "correct" || outcome === "correctlyEmpty";
}

/** How many cells were scored. */
export function cellsIn({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.correctlyEmpty + outcomes.wrong + outcomes.invented + outcomes.missing;
}

/** How many values were accepted: the support. */
export function acceptedIn({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.wrong + outcomes.missing;
}

/** How many values were extracted. */
export function extractedIn({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.wrong + outcomes.invented;
}

/** How many cells are right: a right value, or rightly none. */
export function rightIn({ outcomes }: CellCounts): number {
  return outcomes.correct + outcomes.correctlyEmpty;
}

/** Right cells over all cells, or null where there are none. */
export function successRate(counts: CellCounts): number | null {
  return ratio(rightIn(counts), cellsIn(counts));
}

/** The mean similarity of all cells, or null where there are none. */
export function meanSimilarity(counts: CellCounts): number | null {
  return ratio(counts.similarity / similarityUnits, cellsIn(counts));
}

/**
 * Precision, recall and F1 of values. A wrong value counts against both precision and recall, as in SROIE, DUE and VRDU: it is not what
 * was accepted, and what was accepted is not there. Where nothing was accepted and nothing extracted all are 1; where only one of them is
 * nothing, precision of nothing is 0 and recall of nothing 1, as in Stickler.
 */
export function rates(counts: CellCounts, match: Match = "typed"): Rates {
  const right = match === "typed" ? counts.outcomes.correct : counts[match];
  return toRates(right, extractedIn(counts), acceptedIn(counts));
}

/** Precision, recall and F1 of things that are right, were extracted and were accepted. */
export function toRates(right: number, extracted: number, accepted: number): Rates {
  if (extracted + accepted === 0) return { precision: 1, recall: 1, f1: 1 };
  return {
    precision: ratio(right, extracted) ?? 0,
    recall: ratio(right, accepted) ?? 1,
    f1: (2 * right) / (extracted + accepted),
  };
}

/**
 * The share of values that need no correction: right ones over right ones and corrections, where putting a wrong value right is one
 * correction, not two. KIEval, arXiv 2503.05488: TP / (TP + max(FP, FN)). Null where there are no values.
 */
export function alignedScore(counts: CellCounts): number | null {
  return ratio(counts.outcomes.correct, Math.max(extractedIn(counts), acceptedIn(counts)));
}

/** A ratio, or null of nothing. */
export function ratio(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
