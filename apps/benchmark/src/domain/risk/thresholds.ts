import { computeBettingPValue, computeBinomialTail, testInOrder } from "@switchyard/statistics";

/** Values, in the order of their files, as tables of what is known about each of them: there are millions. */
export interface WeighedValues {
  /** The index of the file. */
  readonly files: Int32Array;
  /** The step of the confidence (see {@link toStep}). */
  readonly steps: Uint8Array;
  /** The share of the file that the value is. The values of a file weigh 1 together. */
  readonly weights: Float64Array;
  /** 1 if the value is wrong, else 0. */
  readonly wrong: Uint8Array;
}

/** What thresholds are tested on. */
export interface TestedValues {
  readonly values: WeighedValues;
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
  const filesUsed = countFiles(values);
  if (index === -1) {
    const filesNeeded = countNeeded(tested, { error, level: level * Math.max(...starts.values()) });
    return { threshold: null, coverage: 0, filesUsed, filesNeeded };
  }
  const coverage = sumWeights(values, steps - index) / sumWeights(values, 0);
  return { threshold: (steps - index) / steps, coverage, filesUsed, filesNeeded: null };
}

/**
 * Creates the function that returns the p value of the hypothesis that more than `error` of the values from a step on are wrong. It must be
 * called with ascending indexes, which begin at the highest step.
 */
function createTest(tested: TestedValues, error: number): (index: number) => number {
  const lowering = createLowering(tested, error);
  const isPlain = tested.values.weights.every((weight) => weight === 1);
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
  const { places, ends } = sortByStep(values);
  let next = steps;
  const state = {
    /** For each file: the weight of its wrong values less the allowed share of the weight of its values. */
    excess: new Float64Array(files),
    values: 0,
    wrong: 0,
    /** Adds the values from a step on. */
    lowerTo(step: number): void {
      for (; next >= step; next -= 1)
        for (let at = next === 0 ? 0 : ends[next - 1]!; at < ends[next]!; at += 1) {
          const place = places[at]!;
          const wrong = values.wrong[place]!;
          state.excess[values.files[place]!]! += (wrong - error) * values.weights[place]!;
          state.values += 1;
          state.wrong += wrong;
        }
    },
  };
  return state;
}

/** Returns the places of values in order of their steps, and where those of each step end. Of one step, they keep their order. */
function sortByStep({ steps: stepByPlace }: WeighedValues): { places: Int32Array; ends: Int32Array } {
  const ends = new Int32Array(steps + 1);
  for (const step of stepByPlace) ends[step]! += 1;
  for (let step = 1; step <= steps; step += 1) ends[step]! += ends[step - 1]!;
  const next = Int32Array.from(ends, (_, step) => (step === 0 ? 0 : ends[step - 1]!));
  const places = new Int32Array(stepByPlace.length);
  stepByPlace.forEach((step, place) => {
    places[next[step]!] = place;
    next[step]! += 1;
  });
  return { places, ends };
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

/** Returns the step of a confidence from 0 to 1: its hundredths, rounded down. */
export function toStep(confidence: number): number {
  // Allows for the rounding of confidences with two digits.
  return Math.min(steps, Math.max(0, Math.floor(confidence * steps + 1e-9)));
}

/** Counts the files with a value. The values of a file are adjacent. */
export function countFiles({ files }: Pick<WeighedValues, "files">): number {
  return files.reduce((count, file, place) => (file === files[place - 1] ? count : count + 1), 0);
}

/** Returns the weight of the values from a step on. */
function sumWeights({ steps: stepByPlace, weights }: WeighedValues, from: number): number {
  return weights.reduce((total, weight, place) => (stepByPlace[place]! >= from ? total + weight : total), 0);
}
