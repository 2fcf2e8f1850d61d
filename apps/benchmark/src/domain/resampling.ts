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
export function drawsOf(fileId: string, seed = defaultSeed, replicates = defaultReplicates): Uint8Array {
  const random = randomOf(fileId, seed);
  const counts = new Uint8Array(replicates);
  for (let index = 0; index < replicates; index += 1) {
    const number = random();
    let count = 0;
    while (number >= (draws[count] ?? Infinity)) count += 1;
    counts[index] = count;
  }
  return counts;
}

/** A sum over files in each replicate. */
export type ReplicateSums = Float64Array;

/** Adds a file's number to the sums of the replicates that draw it. */
export function addDrawn(sums: ReplicateSums, drawn: Uint8Array, number: number): void {
  if (number === 0) return;
  for (let index = 0; index < sums.length; index += 1)
    sums[index] = (sums[index] as number) + number * (drawn[index] as number);
}

/** Adds the sums of other files. */
export function addSums(sums: ReplicateSums, more: ReplicateSums): void {
  for (let index = 0; index < sums.length; index += 1) sums[index] = (sums[index] as number) + (more[index] as number);
}

/** The 95 % percentile interval of a ratio of two sums. Replicates that drew nothing to divide by are left out; null without others. */
export function ratioInterval(parts: ReplicateSums, wholes: ReplicateSums): Interval | null {
  const ratios = parts
    .map((part, index) => part / (wholes[index] as number))
    .filter(Number.isFinite)
    .sort();
  if (ratios.length === 0) return null;
  return { low: quantile(ratios, 0.025), high: quantile(ratios, 0.975) };
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
function randomOf(text: string, seed: number): () => number {
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
