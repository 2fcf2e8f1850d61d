import type { Candidate } from "../../../candidates/candidate.ts";

/** A candidate for a column with its score, which is about 0 to 1. */
export interface Scored {
  readonly candidate: Candidate;
  readonly score: number;
  /** Whether its label says that it is only a part of a sum of the document. */
  readonly isPart?: boolean;
}

/** A chosen candidate with its confidence. */
export interface Choice {
  readonly candidate: Candidate;
  readonly confidence: number;
}

/** The minimum score of an answer. Without a better candidate, the answer is null. */
export const MIN_SCORE = 0.3;

/**
 * Chooses the candidate with the highest score s, if it is at least `MIN_SCORE`. Its confidence is `1 - (1 - s)^1.6`, at most 0.98, times
 * `1 - r^2 / 4`, where `r` is the score of the best candidate with another value, divided by s: an equal rival costs a quarter, and a
 * distant one nothing. The exponent brings the confidence of answers close to the proportion of correct answers.
 */
export function choose(scored: readonly Scored[]): Choice | undefined {
  let best: Scored | undefined;
  for (const next of scored) if (!best || next.score > best.score) best = next;
  if (!best || best.score < MIN_SCORE) return undefined;
  let nextScore = 0;
  for (const next of scored)
    if (next.candidate.value !== best.candidate.value) nextScore = Math.max(nextScore, next.score);
  const ratio = nextScore / best.score;
  const ownConfidence = 1 - (1 - Math.min(1, best.score)) ** 1.6;
  return { candidate: best.candidate, confidence: Math.min(0.98, ownConfidence) * (1 - 0.25 * ratio * ratio) };
}
