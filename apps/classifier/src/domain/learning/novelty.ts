import type { Novelty } from "./learned-state.ts";

/** How near a document is to the routes, and whether it belongs to one of them. */
export interface NearnessSample {
  readonly cosine: number;
  readonly strength: number;
  readonly known: boolean;
  readonly weight: number;
}

/** What holds for documents in general. With few texts, it hardly changes. */
export const DEFAULT_NOVELTY: Novelty = { intercept: -3, cosine: 5, strength: 3 };
/** What holds where no route has two texts, so that nothing shows how near documents are to their route. */
const UNMEASURED_NOVELTY: Novelty = { intercept: -2, cosine: 1, strength: 5 };
const PRIOR_PRECISION = 0.3;
const STEPS = 20;
/** The maximum change of a coefficient in one step, beyond which Newton's method can diverge. */
const MAX_CHANGE = 1;

/** Returns the probability that a document is of one of the known kinds. */
function getKnownProbability(
  { intercept, cosine, strength }: Novelty,
  nearness: Pick<NearnessSample, "cosine" | "strength">,
): number {
  return 1 / (1 + Math.exp(-(intercept + cosine * nearness.cosine + strength * nearness.strength)));
}

/** The logit around which the probability becomes steeper than the regression: that of the default threshold. */
const PIVOT = -0.2;
const STEEPNESS = 2.5;

/**
 * Returns how sure it is that a document is of one of the known kinds, from 0 to 1. It is steeper than the regression, which doubts known
 * documents too often, because the documents of other routes are its only examples of unknown kinds.
 */
export function getKnownShare(
  { intercept, cosine, strength }: Novelty,
  nearness: Pick<NearnessSample, "cosine" | "strength">,
): number {
  const logit = intercept + cosine * nearness.cosine + strength * nearness.strength;
  return 1 / (1 + Math.exp(-(PIVOT + STEEPNESS * (logit - PIVOT))));
}

/** Solves three linear equations with a symmetric positive definite matrix. */
function solve(matrix: number[][], vector: number[]): number[] {
  const rows = matrix.map((row, index) => [...row, vector[index]!]);
  for (let pivot = 0; pivot < 3; pivot++) {
    for (let row = 0; row < 3; row++) {
      if (row === pivot) continue;
      const factor = rows[row]![pivot]! / rows[pivot]![pivot]!;
      for (let column = pivot; column < 4; column++) rows[row]![column]! -= factor * rows[pivot]![column]!;
    }
  }
  return rows.map((row, index) => row[3]! / row[index]!);
}

/**
 * Fits the logistic regression by Newton's method, with {@link DEFAULT_NOVELTY} as its prior. Without samples of known kinds, nothing
 * shows how near these are.
 */
export function fitNovelty(samples: readonly NearnessSample[]): Novelty {
  if (!samples.some(({ known }) => known)) return UNMEASURED_NOVELTY;
  const prior = [DEFAULT_NOVELTY.intercept, DEFAULT_NOVELTY.cosine, DEFAULT_NOVELTY.strength];
  let current = prior;
  for (let step = 0; step < STEPS; step++) {
    const gradient = current.map((value, index) => -PRIOR_PRECISION * (value - prior[index]!));
    const curvature = [0, 1, 2].map((row) => [0, 1, 2].map((column) => (row === column ? PRIOR_PRECISION : 0)));
    for (const { cosine, strength, known, weight } of samples) {
      const inputs = [1, cosine, strength];
      const [intercept = 0, ofCosine = 0, ofStrength = 0] = current;
      const probability = getKnownProbability(
        { intercept, cosine: ofCosine, strength: ofStrength },
        { cosine, strength },
      );
      for (let row = 0; row < 3; row++) {
        gradient[row]! += weight * (Number(known) - probability) * inputs[row]!;
        for (let column = 0; column < 3; column++) {
          curvature[row]![column]! += weight * probability * (1 - probability) * inputs[row]! * inputs[column]!;
        }
      }
    }
    const change = solve(curvature, gradient);
    current = current.map((value, index) => value + Math.min(MAX_CHANGE, Math.max(-MAX_CHANGE, change[index]!)));
  }
  const [intercept = 0, cosine = 0, strength = 0] = current;
  // More nearness never makes a document less known.
  return { intercept, cosine: Math.max(0, cosine), strength: Math.max(0, strength) };
}
