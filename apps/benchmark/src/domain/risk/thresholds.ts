import { computeBettingPValue, computeBinomialTail, testInOrder } from "@switchyard/statistics";

/** A value of a file. */
export interface WeighedValue {
  /** The index of the file. */
  readonly file: number;
  /** From 0 to 1. */
  readonly confidence: number;
  /** The share of the file that it is. The values of a file weigh 1 together. */
  readonly weight: number;
  readonly wrong: boolean;
}

/** What thresholds are tested on. */
export interface TestedValues {
  readonly values: readonly WeighedValue[];
  /** The number of files, including those without a value. Their order must have nothing to do with their values. */
  readonly files: number;
}

/** The wanted share of wrong values, and the probability with which there may be more. */
export interface WantedRisk {
  readonly error: number;
  readonly level: number;
}

/** Which values may go unseen. */
export interface Unseen {
  /** The lowest confidence of values that may go unseen; null if none may. */
  readonly threshold: number | null;
  /** The share of the values that may go unseen, by weight. */
  readonly coverage: number;
  /** The number of files with a value. */
  readonly filesUsed: number;
  /** About how many more files would be enough; null if some values may go unseen, or if no number of files would be enough. */
  readonly filesNeeded: number | null;
}

/**
 * Thresholds are hundredths, so that there are few to test. The lowest is 0.01: a confidence of 0 says that nothing supports a value, so it
 * never goes unseen, even if such values have been right.
 */
const steps = 100;
/**
 * The thresholds at which a share of the level becomes available, whatever was found at higher ones. Most of it is where most values of an
 * engine with right confidences are; the rest is for engines that are more or less certain. The shares add up to 1.
 */
const starts: ReadonlyMap<number, number> = new Map([
  [98, 0.1],
  [90, 0.5],
  [75, 0.2],
  [50, 0.2],
]);
/** So few files say little about how many are needed. */
const fewFiles = 30;
/** More files than these are never asked for. */
const maxNeeded = 1_000_000;

/**
 * Finds the lowest threshold for which at most the share `error` of the values with at least this confidence is wrong, with a probability of
 * at least 1 - `level`. The unit is the file, because its values may be wrong together. The theorem is in docs/scoring.md.
 */
export function findUnseen(tested: TestedValues, { error, level }: WantedRisk): Unseen {
  const shares = Array.from({ length: steps }, (_, index) => starts.get(steps - index) ?? 0);
  const rejected = testInOrder(shares, level, createTest(tested, error));
  const index = rejected.lastIndexOf(true);
  const { values } = tested;
  const filesUsed = new Set(values.map(({ file }) => file)).size;
  if (index === -1) {
    const filesNeeded = countNeeded(tested, { error, level: level * Math.max(...starts.values()) });
    return { threshold: null, coverage: 0, filesUsed, filesNeeded };
  }
  const unseen = values.filter(({ confidence }) => toStep(confidence) >= steps - index);
  return { threshold: (steps - index) / steps, coverage: sum(unseen) / sum(values), filesUsed, filesNeeded: null };
}

/**
 * Creates the function that returns the p value of the hypothesis that more than `error` of the values from a step on are wrong. It must be
 * called with ascending indexes, which begin at the highest step.
 */
function createTest(tested: TestedValues, error: number): (index: number) => number {
  const lowering = createLowering(tested, error);
  const isPlain = tested.values.every(({ weight }) => weight === 1);
  // What is expected before the first file: half of the allowed share is wrong, in files with two values.
  const options = { maximum: 1 - error, expected: { mean: -error / 2, square: error / 4 } };
  let known = { values: 0, pValue: 1 };
  return (index) => {
    lowering.lowerTo(steps - index);
    const { excess, values, wrong } = lowering;
    if (values !== known.values) {
      const pValue = isPlain ? computeBinomialTail(wrong, values, error) : computeBettingPValue(excess, options);
      known = { values, pValue };
    }
    return known.pValue;
  };
}

/** The excess of each file over the allowed loss, while a threshold is lowered. */
function createLowering({ values, files }: TestedValues, error: number) {
  const bySteps = Array.from({ length: steps + 1 }, (): WeighedValue[] => []);
  for (const value of values) bySteps[toStep(value.confidence)]?.push(value);
  let next = steps;
  const state = {
    /** For each file: the weight of its wrong values less the allowed share of the weight of its values. */
    excess: new Float64Array(files),
    values: 0,
    wrong: 0,
    /** Adds the values from a step on. */
    lowerTo(step: number): void {
      for (; next >= step; next -= 1)
        for (const { file, weight, wrong } of bySteps[next] ?? []) {
          state.excess[file] = (state.excess[file] ?? 0) + ((wrong ? 1 : 0) - error) * weight;
          state.values += 1;
          state.wrong += wrong ? 1 : 0;
        }
    },
  };
  return state;
}

/**
 * Estimates how many more files are needed: the capital of the best threshold grows by the same factor with each file, until it reaches
 * 1 / level. If it does not grow at any threshold, the result is null, or with few files the number that would be needed without a wrong
 * value.
 */
function countNeeded(tested: TestedValues, { error, level }: WantedRisk): number | null {
  const { files } = tested;
  const lowering = createLowering(tested, error);
  let growth = 0;
  for (let step = steps; step > 0; step -= 1) {
    lowering.lowerTo(step);
    if (lowering.values === 0) continue;
    growth = Math.max(growth, computeGrowth(lowering.excess, 1 - error));
  }
  if (growth === 0 && files < fewFiles) growth = -Math.log1p(-error);
  const needed = Math.ceil(-Math.log(level) / growth) - files;
  return needed > maxNeeded ? null : Math.max(1, needed);
}

/** Returns the mean logarithmic growth of the capital of a bettor with a constant bet. */
function computeGrowth(excess: Float64Array, maximum: number): number {
  const mean = excess.reduce((total, value) => total + value, 0) / excess.length;
  const square = excess.reduce((total, value) => total + value * value, 0) / excess.length;
  if (mean >= 0) return 0;
  const bet = Math.min(0.999 / maximum, -mean / square);
  return excess.reduce((total, value) => total + Math.log1p(-bet * value), 0) / excess.length;
}

function toStep(confidence: number): number {
  // Allows for the rounding of confidences with two digits.
  return Math.min(steps, Math.max(0, Math.floor(confidence * steps + 1e-9)));
}

function sum(values: readonly WeighedValue[]): number {
  return values.reduce((total, { weight }) => total + weight, 0);
}
