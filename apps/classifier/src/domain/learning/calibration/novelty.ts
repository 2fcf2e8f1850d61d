import type { Novelty } from "../learned-state.ts";

/** How near a document is to the routes. The measures are those of {@link Novelty}. */
export interface NearnessMeasures {
  readonly cosine: number;
  readonly strength: number;
  readonly learned: number;
}

/** How near a document is to the routes, and whether it belongs to one of them. */
export interface NearnessSample extends NearnessMeasures {
  readonly known: boolean;
  readonly weight: number;
}

/** What holds for documents in general. With few texts, it hardly changes. */
const DEFAULT_NOVELTY: Novelty = { intercept: -4.2, cosine: 3, strength: 4, learned: 2 };
/** What holds for routes without labeled texts, and where no route has two: nothing shows how near documents are to their route. */
export const UNMEASURED_NOVELTY: Novelty = { intercept: -2, cosine: 1, strength: 5, learned: 0 };
const PRIOR_PRECISION = 1;
const STEPS = 20;
/** The maximum change of a coefficient in one step, beyond which Newton's method can diverge. */
const MAX_CHANGE = 1;
/** A learned score beyond this multiple of the typical one says no more. Where the typical one is near 0, multiples are arbitrarily high. */
const MAX_LEARNED = 2;

/** Returns the inputs of the regression, in the order of the coefficients. */
function toInputs({ cosine, strength, learned }: NearnessMeasures): number[] {
  return [1, cosine, strength, Math.max(-MAX_LEARNED, Math.min(MAX_LEARNED, learned))];
}

function toCoefficients({ intercept, cosine, strength, learned }: Novelty): number[] {
  return [intercept, cosine, strength, learned];
}

/** Returns the logit of the probability that a document is of one of the known kinds. */
function getKnownLogit(coefficients: readonly number[], inputs: readonly number[]): number {
  return coefficients.reduce((sum, coefficient, place) => sum + coefficient * inputs[place]!, 0);
}

/** The logit around which the probability becomes steeper than the regression: near that of the default threshold. */
const PIVOT = -0.1;
const STEEPNESS = 3;
/** The least share, so that the order of the routes remains visible in scores of four decimals. */
const LEAST_SHARE = 0.01;

/**
 * Returns how sure it is that a document is of one of the known kinds, from 0 to 1. It is steeper than the regression, which doubts known
 * documents too often, because the documents of other routes are its only examples of unknown kinds.
 */
export function getKnownShare(novelty: Novelty, nearness: NearnessMeasures): number {
  const logit = getKnownLogit(toCoefficients(novelty), toInputs(nearness));
  return Math.max(LEAST_SHARE, toShare(PIVOT + STEEPNESS * (logit - PIVOT)));
}

function toShare(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

/** Solves linear equations with a symmetric positive definite matrix. */
export function solve(matrix: readonly (readonly number[])[], vector: readonly number[]): number[] {
  const rows = matrix.map((row, index) => [...row, vector[index]!]);
  for (let pivot = 0; pivot < rows.length; pivot++) {
    for (let row = 0; row < rows.length; row++) {
      if (row === pivot) continue;
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!;
      for (let column = pivot; column <= rows.length; column++) rows[row]![column]! -= factor * rows[pivot]![column]!;
    }
  }
  return rows.map((row, index) => row[rows.length]! / row[index]!);
}

/**
 * Fits the logistic regression by Newton's method, with {@link DEFAULT_NOVELTY} as its prior. Without samples of known kinds, nothing
 * shows how near these are.
 */
export function fitNovelty(samples: readonly NearnessSample[]): Novelty {
  if (!samples.some(({ known }) => known)) return UNMEASURED_NOVELTY;
  const prior = toCoefficients(DEFAULT_NOVELTY);
  const places = prior.map((_, place) => place);
  let current = prior;
  for (let step = 0; step < STEPS; step++) {
    const gradient = current.map((value, place) => -PRIOR_PRECISION * (value - prior[place]!));
    const curvature = places.map((row) => places.map((column) => (row === column ? PRIOR_PRECISION : 0)));
    for (const sample of samples) {
      const inputs = toInputs(sample);
      const probability = toShare(getKnownLogit(current, inputs));
      for (const row of places) {
        gradient[row]! += sample.weight * (Number(sample.known) - probability) * inputs[row]!;
        for (const column of places) {
          curvature[row]![column]! += sample.weight * probability * (1 - probability) * inputs[row]! * inputs[column]!;
        }
      }
    }
    const change = solve(curvature, gradient);
    current = current.map((value, index) => value + Math.min(MAX_CHANGE, Math.max(-MAX_CHANGE, change[index]!)));
  }
  const [intercept = 0, cosine = 0, strength = 0, learned = 0] = current;
  // More nearness never makes a document less known.
  return { intercept, cosine: Math.max(0, cosine), strength: Math.max(0, strength), learned: Math.max(0, learned) };
}
