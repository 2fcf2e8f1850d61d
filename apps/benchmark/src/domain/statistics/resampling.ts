import type { Interval } from "@switchyard/statistics";
import { createRandom } from "./random.ts";

/** The default number of replicates. */
export const defaultReplicates = 2_000;
/** The default seed. With the same seed, the same files have the same intervals. */
export const defaultSeed = 20_240_229;

/** The cumulative probabilities of drawing a file 0, 1, 2, ... times, scaled to 32 bits. */
const cumulativeDraws = computeCumulativePoisson();

/**
 * Returns how often each replicate draws a file. In a bootstrap of n files, a file is drawn about Poisson(1) times. Drawing each file
 * separately needs neither n nor the other files, so that sums over files are sufficient (Chamandy et al., "Estimating uncertainty for
 * massive data streams", 2012). The numbers depend only on the seed and the ID of the file, so that runs over the same files can be
 * compared as paired samples.
 */
export function drawReplicates(fileId: string, seed = defaultSeed, replicates = defaultReplicates): Uint8Array {
  const random = createRandom(fileId, seed);
  const counts = new Uint8Array(replicates);
  for (let index = 0; index < replicates; index += 1) {
    const number = random();
    let count = 0;
    while (number >= (cumulativeDraws[count] ?? Infinity)) count += 1;
    counts[index] = count;
  }
  return counts;
}

/** Sums over files in each replicate: those of the first replicate, then those of the second one, and so on. */
export interface ReplicateSums {
  readonly replicates: number;
  /** The number of sums per replicate. */
  readonly width: number;
  readonly values: Float64Array;
}

/** The numbers of a file with the indexes of their sums. */
export interface FileNumbers {
  readonly indexes: readonly number[];
  readonly numbers: readonly number[];
}

/** Creates `width` sums of 0 for each replicate. */
export function createReplicateSums(width: number, replicates: number): ReplicateSums {
  return { replicates, width, values: new Float64Array(width * replicates) };
}

/** Adds the numbers of a file to the sums of the replicates that draw it. */
export function addFileNumbers(
  { values, width }: ReplicateSums,
  drawn: Uint8Array,
  { indexes, numbers }: FileNumbers,
): void {
  for (let replicate = 0; replicate < drawn.length; replicate += 1) {
    const times = drawn[replicate] as number;
    if (times === 0) continue;
    const start = replicate * width;
    for (let position = 0; position < indexes.length; position += 1) {
      const index = start + (indexes[position] as number);
      values[index] = (values[index] as number) + times * (numbers[position] as number);
    }
  }
}

/** Adds the sums of other files. */
export function addSums({ values }: ReplicateSums, more: ReplicateSums): void {
  for (let index = 0; index < values.length; index += 1)
    values[index] = (values[index] as number) + (more.values[index] as number);
}

/**
 * Computes the 95 % percentile interval of the ratio of one sum to the mean of others, which are given by their indexes. Replicates in
 * which the divisor is 0 are ignored. Returns null if all are.
 */
export function computeRatioInterval(
  sums: ReplicateSums,
  numerator: number,
  denominators: readonly number[],
): Interval | null {
  const { replicates, width, values } = sums;
  const ratios = Float64Array.from({ length: replicates }, (_, replicate) => {
    const denominator =
      denominators.reduce((sum, place) => sum + (values[replicate * width + place] as number), 0) / denominators.length;
    return (values[replicate * width + numerator] as number) / denominator;
  });
  return computePercentileInterval(ratios);
}

/** Computes the 95 % percentile interval of samples. Those that are not finite are ignored; returns null if all are. */
export function computePercentileInterval(samples: Float64Array): Interval | null {
  const sorted = samples.filter(Number.isFinite).sort();
  return sorted.length === 0 ? null : { low: computeQuantile(sorted, 0.025), high: computeQuantile(sorted, 0.975) };
}

/** Computes a quantile of sorted numbers with linear interpolation. */
export function computeQuantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

function computeCumulativePoisson(): number[] {
  const cumulative: number[] = [];
  let probability = Math.exp(-1);
  for (let count = 0, sum = 0; count < 13; count += 1) {
    sum += probability;
    cumulative.push(sum * 2 ** 32);
    probability /= count + 1;
  }
  return cumulative;
}
