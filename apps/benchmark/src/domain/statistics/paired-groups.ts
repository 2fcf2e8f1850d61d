import { createRandom } from "./random.ts";

/** The maximum number of groups that are resampled. Up to this many files, each file is its own group. */
export const maxGroups = 1_000;
/** The number of samples of the bootstrap. */
export const bootstrapSamples = 2_000;
/** The number of random exchanges of a test. A few groups are exchanged in all possible ways instead. */
const randomExchanges = 4_999;
const enumeratedGroups = 13;
const seed = 20_240_229;
/** How many samples are drawn in one step, which takes a few milliseconds. */
const stepSize = 10;

/** Sums of numbers over files, in groups of files that are resampled together. */
export interface PairedGroups {
  /** The number of sums per group. */
  readonly width: number;
  readonly groups: Float64Array[];
  files: number;
}

/** Creates groups of no files. */
export function createGroups(width: number): PairedGroups {
  return { width, groups: [], files: 0 };
}

/**
 * Adds the numbers of a file to a group. With more than {@link maxGroups} files, the groups take turns, so that their sizes differ by one at
 * most and memory does not grow. Resampling random groups of equal size is as valid as resampling files (Wolter, Introduction to Variance
 * Estimation, 2007, chapter 2).
 */
export function addToGroups(paired: PairedGroups, numbers: Float64Array): void {
  const { groups, width } = paired;
  const place = paired.files % maxGroups;
  paired.files += 1;
  let group = groups[place];
  if (group === undefined) groups.push((group = new Float64Array(width)));
  for (let index = 0; index < width; index += 1) group[index] = (group[index] as number) + (numbers[index] as number);
}

/** Returns the sums over all groups. */
export function sumGroups({ groups, width }: PairedGroups): Float64Array {
  const sums = new Float64Array(width);
  for (const group of groups) addTimes(sums, group, 1);
  return sums;
}

/**
 * Draws samples of as many groups as there are, with replacement, and passes the sums of each to `take`. A sample contains the numbers of
 * both runs, so that they are paired. The samples depend only on the number of groups. Yields between steps of work.
 * Efron and Tibshirani, An Introduction to the Bootstrap, 1993.
 */
export function* resample(
  { groups, width }: PairedGroups,
  take: (sums: Float64Array, sample: number) => void,
): Generator<void, void> {
  const random = createRandom("bootstrap", seed);
  const sums = new Float64Array(width);
  const times = new Uint16Array(groups.length);
  for (let sample = 0; sample < bootstrapSamples; sample += 1) {
    times.fill(0);
    for (let draw = 0; draw < groups.length; draw += 1) {
      const place = Math.floor((random() / 2 ** 32) * groups.length);
      times[place] = (times[place] as number) + 1;
    }
    sums.fill(0);
    // Loops by index, because these lines run millions of times.
    for (let place = 0; place < groups.length; place += 1) {
      const count = times[place] as number;
      if (count > 0) addTimes(sums, groups[place] as Float64Array, count);
    }
    take(sums, sample);
    if (sample % stepSize === stepSize - 1) yield;
  }
}

/**
 * Exchanges the two runs in some of the groups, and returns for each statistic of `isExtreme` the p value: the share of exchanges in which
 * it is as extreme as observed. The first `width` sums of a group are those of one run, and the next ones those of the other. If both runs
 * are equally good, exchanging them changes nothing but the figures, so the test has its level exactly. Yields between steps of work.
 * Fisher, The Design of Experiments, 1935; Phipson and Smyth, Statistical Applications in Genetics and Molecular Biology 9, 2010.
 */
export function* exchange(
  { groups }: PairedGroups,
  width: number,
  isExtreme: (one: Float64Array, other: Float64Array) => readonly boolean[],
): Generator<void, number[]> {
  const random = createRandom("exchange", seed);
  const enumerated = groups.length <= enumeratedGroups;
  const exchanges = enumerated ? 2 ** groups.length : randomExchanges;
  const [one, other] = [new Float64Array(width), new Float64Array(width)];
  const extreme: number[] = [];
  for (let number = 0; number < exchanges; number += 1) {
    one.fill(0);
    other.fill(0);
    let bits = number;
    for (let place = 0; place < groups.length; place += 1) {
      const group = groups[place] as Float64Array;
      if (!enumerated && place % 32 === 0) bits = random();
      const [first, second] = bits & 1 ? [other, one] : [one, other];
      bits >>>= 1;
      for (let index = 0; index < width; index += 1) {
        first[index] = (first[index] as number) + (group[index] as number);
        second[index] = (second[index] as number) + (group[width + index] as number);
      }
    }
    for (const [index, is] of isExtreme(one, other).entries()) extreme[index] = (extreme[index] ?? 0) + (is ? 1 : 0);
    if (number % stepSize === stepSize - 1) yield;
  }
  // Of random exchanges, the observed one counts as one more, so that a p value is never 0.
  return extreme.map((count) => (enumerated ? count / exchanges : (count + 1) / (exchanges + 1)));
}

function addTimes(sums: Float64Array, numbers: Float64Array, times: number): void {
  for (let index = 0; index < sums.length; index += 1)
    sums[index] = (sums[index] as number) + times * (numbers[index] as number);
}
