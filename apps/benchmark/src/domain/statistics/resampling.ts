import type { Interval } from "./wilson.ts";

/** How many times the files are drawn anew. */
export const defaultReplicates = 2_000;
/** With the same seed the same files give the same intervals. */
export const defaultSeed = 20_240_229;

/** Cumulative probabilities of drawing a file 0, 1, 2, ... times, as 32-bit numbers. */
const draws = cumulativePoisson();

/**
 * How often each of the replicates draws a file. In a bootstrap of n files a file is drawn about Poisson(1) times; drawing every file
 * so, each by itself, needs neither n nor the other files, so that sums over files can be kept instead of the files (Chamandy et al.,
 * "Estimating uncertainty for massive data streams", 2012). The numbers depend on seed and file id only: runs over the same files draw
 * the same ones, which makes their difference a paired one.
 */
export function drawReplicates(fileId: string, seed = defaultSeed, replicates = defaultReplicates): Uint8Array {
  const random = createRandom(fileId, seed);
  const counts = new Uint8Array(replicates);
  for (let index = 0; index < replicates; index += 1) {
    const number = random();
    let count = 0;
    while (number >= (draws[count] ?? Infinity)) count += 1;
    counts[index] = count;
  }
  return counts;
}

/** Several sums over files in each replicate: those of the first replicate, then those of the second one, and so on. */
export interface ReplicateSums {
  readonly replicates: number;
  /** How many sums a replicate has. */
  readonly width: number;
  readonly values: Float64Array;
}

/** Numbers of a file, each with the place of its sum. */
export interface FileNumbers {
  readonly places: readonly number[];
  readonly numbers: readonly number[];
}

/** So many sums of nothing in so many replicates: 8 bytes each. */
export function noSums(width: number, replicates: number): ReplicateSums {
  return { replicates, width, values: new Float64Array(width * replicates) };
}

/** Adds a file's numbers to the sums of the replicates that draw it. */
export function addDrawn({ values, width }: ReplicateSums, drawn: Uint8Array, { places, numbers }: FileNumbers): void {
  for (let replicate = 0; replicate < drawn.length; replicate += 1) {
    const times = drawn[replicate] as number;
    if (times === 0) continue;
    const from = replicate * width;
    for (let index = 0; index < places.length; index += 1) {
      const place = from + (places[index] as number);
      values[place] = (values[place] as number) + times * (numbers[index] as number);
    }
  }
}

/** Adds the sums of other files. */
export function addSums({ values }: ReplicateSums, more: ReplicateSums): void {
  for (let index = 0; index < values.length; index += 1)
    values[index] = (values[index] as number) + (more.values[index] as number);
}

/**
 * The 95 % percentile interval of the ratio of one sum to the mean of others, all named by their places. Replicates that drew nothing to
 * divide by are left out; null without others.
 */
export function ratioInterval(sums: ReplicateSums, part: number, wholes: readonly number[]): Interval | null {
  const { replicates, width, values } = sums;
  const ratios = Float64Array.from({ length: replicates }, (_, replicate) => {
    const whole = wholes.reduce((sum, place) => sum + (values[replicate * width + place] as number), 0) / wholes.length;
    return (values[replicate * width + part] as number) / whole;
  });
  const sorted = ratios.filter(Number.isFinite).sort();
  return sorted.length === 0 ? null : { low: quantile(sorted, 0.025), high: quantile(sorted, 0.975) };
}

/** Between the two nearest of sorted numbers, linearly. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}

function cumulativePoisson(): number[] {
  const cumulative: number[] = [];
  let probability = Math.exp(-1);
  for (let count = 0, sum = 0; count < 13; count += 1) {
    sum += probability;
    cumulative.push(sum * 2 ** 32);
    probability /= count + 1;
  }
  return cumulative;
}

/** Random 32-bit numbers that a text and a seed decide: sfc32 by Chris Doty-Humphrey, its state from FNV-1a hashes of the text. */
function createRandom(text: string, seed: number): () => number {
  let [a, b, c] = [0x811c9dc5, 0x9e3779b9, 0x85ebca6b].map((basis) => {
    let hash = basis ^ seed;
    for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
    return hash | 0;
  }) as [number, number, number];
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return sum >>> 0;
  };
  for (let round = 0; round < 15; round += 1) next();
  return next;
}
