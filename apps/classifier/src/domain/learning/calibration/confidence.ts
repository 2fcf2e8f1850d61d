import { DEFAULT_MIN_CONFIDENCE, DEFAULT_MIN_MARGIN } from "../../decision/decision.ts";

/** How the routes of a document compare: the confidence in the best one, and in the best one of another group. */
export interface Standing {
  readonly best: number;
  readonly second: number;
}

/** The standing of a document whose route is known. */
export interface ConfidenceSample extends Standing {
  readonly right: boolean;
}

/**
 * Returns the share that each route has among all groups, and the texts outside all routes, by softmax. Routes of one group do not compete:
 * the best has the share of the group, and the others relatively less.
 */
export function toShares(logits: readonly number[], groups: readonly string[], outside: number): number[] {
  const highest = new Map<string, number>();
  groups.forEach((group, place) => {
    highest.set(group, Math.max(highest.get(group) ?? -Infinity, logits[place]!));
  });
  const top = Math.max(outside, ...highest.values());
  const total = [...highest.values()].reduce((sum, logit) => sum + Math.exp(logit - top), Math.exp(outside - top));
  return logits.map((logit) => Math.exp(logit - top) / total);
}

/** Returns how the routes compare if the route at `place` is the best one. */
export function getStanding(confidences: readonly number[], groups: readonly string[], place: number): Standing {
  const second = confidences.reduce(
    (most, confidence, other) => (groups[other] === groups[place] ? most : Math.max(most, confidence)),
    0,
  );
  return { best: confidences[place]!, second };
}

/**
 * Returns the confidence that the best route needs by default, so that the document is answered, if the second one keeps its share of the
 * doubt about the best. A calibration changes both in proportion, so this confidence is the same before and after it.
 */
function getNeeded({ best, second }: Standing): number {
  const needed = second / ((1 - DEFAULT_MIN_MARGIN) * (1 - best) + second);
  return second > 0 ? Math.max(DEFAULT_MIN_CONFIDENCE, needed) : DEFAULT_MIN_CONFIDENCE;
}

/**
 * Returns the factor by which the doubt about the best route, and the confidence in all others, shrinks. It is 1 up to what the decision
 * needs by default, so that the same documents are answered, and falls to `1 / doubtDivisor` where there is no doubt: the odds of the
 * best route beyond those that it needs are multiplied by `doubtDivisor`.
 */
export function getDoubtFactor(standing: Standing, doubtDivisor: number): number {
  const { best } = standing;
  const needed = getNeeded(standing);
  if (best <= needed) return 1;
  const left = (1 - best) / (1 - needed);
  return 1 / (left + doubtDivisor * (1 - left));
}

/** Calibrates the confidences in routes, of which the one at `place` is the best. */
export function calibrate(
  confidences: readonly number[],
  groups: readonly string[],
  place: number,
  doubtDivisor: number,
): number[] {
  const standing = getStanding(confidences, groups, place);
  const factor = getDoubtFactor(standing, doubtDivisor);
  if (factor === 1) return [...confidences];
  const gain = (1 - (1 - standing.best) * factor) / standing.best;
  return confidences.map((confidence, other) => confidence * (groups[other] === groups[place] ? gain : factor));
}

/** The divisor where no text can be left out, which changes nothing. */
const UNMEASURED_DIVISOR = 1;
/**
 * What is expected before any text was left out. The novelty is fitted on three examples of unknown kinds for ten of known ones, because an
 * unknown document that is accepted is worse than a known one that is not. In use, about one document in ten is of an unknown kind.
 */
const EXPECTED_DIVISOR = 3;
/** The standard deviation of the logarithm of the divisor: two thirds of all classifiers have between half and twice the expected one. */
const EXPECTED_DEVIATION = 0.7;
/** The divisors that are compared: powers of 2. */
const EXPONENTS = { first: -1, last: 5, step: 0.25 } as const;
/** Scores have four decimals. */
const LEAST_DOUBT = 1e-4;

/** Finds the most likely divisor for texts that were left out of learning, given what is expected. Those that were not answered say nothing. */
export function fitDoubtDivisor(samples: readonly ConfidenceSample[]): number {
  if (!samples.some(({ right }) => right)) return UNMEASURED_DIVISOR;
  const answered = samples.filter((sample) => sample.best > getNeeded(sample));
  let best = UNMEASURED_DIVISOR;
  let bestValue = -Infinity;
  for (let exponent: number = EXPONENTS.first; exponent <= EXPONENTS.last; exponent += EXPONENTS.step) {
    const divisor = 2 ** exponent;
    const value = answered.reduce(
      (sum, sample) => {
        const doubt = Math.max(LEAST_DOUBT, (1 - sample.best) * getDoubtFactor(sample, divisor));
        return sum + Math.log(sample.right ? 1 - doubt : doubt);
      },
      -0.5 * (Math.log(divisor / EXPECTED_DIVISOR) / EXPECTED_DEVIATION) ** 2,
    );
    if (value > bestValue) {
      best = divisor;
      bestValue = value;
    }
  }
  return best;
}
