import type { DocumentTerms, TermCounts } from "../scoring/text-terms.ts";

/** The marker of features of the head of a document, which no term contains. */
const HEAD_MARK = "^";

/** Returns the name of the feature for a term of the head of a document. */
export function toHeadFeature(term: string): string {
  return `${HEAD_MARK}${term}`;
}

/** A feature of a text: a term, or a term of its head, which tells more about its kind. */
export interface Features {
  readonly names: readonly string[];
  /** `1 + ln f`, at the same index. */
  readonly weights: Float64Array;
}

/** Returns the term that a feature is about. */
export function getTerm(feature: string): string {
  return feature.startsWith(HEAD_MARK) ? feature.slice(HEAD_MARK.length) : feature;
}

/** Returns how often a term is in a text, in whose count the terms of the head are three times, given how often it is in the head. */
export function countOnce(count: number, inHead = 0): number {
  return count - 2 * inHead;
}

/** Returns the weight of a feature by its frequency. A term that is only in the head, because its end cuts a word off, has the frequency 0. */
export function weigh(frequency: number): number {
  return 1 + Math.log(Math.max(1, frequency));
}

/** Returns the features of a document: its terms, and those of its head once more as features of their own. */
export function toFeatures({ counts, head }: Pick<DocumentTerms, "counts" | "head">): Features {
  const names: string[] = [];
  const weights = new Float64Array(counts.size + head.size);
  const add = (name: string, frequency: number): void => {
    weights[names.length] = weigh(frequency);
    names.push(name);
  };
  for (const [term, count] of counts) add(term, countOnce(count, head.get(term)));
  for (const [term, count] of head satisfies TermCounts) add(toHeadFeature(term), count);
  return { names, weights };
}

/** A vector with few entries that are not 0. Its length is at most 1. */
export interface SparseVector {
  readonly indexes: Int32Array;
  readonly values: Float64Array;
}

/** The features that were seen when learning, with their inverse document frequencies. */
export interface Vocabulary {
  readonly indexByName: ReadonlyMap<string, number>;
  readonly rarities: ArrayLike<number>;
  /** The inverse document frequency of a feature that was never seen. */
  readonly unseen: number;
}

/** Returns the vector of a text, of length 1 with its features that are not in the vocabulary. These have no entry. */
export function toVector({ names, weights }: Features, { indexByName, rarities, unseen }: Vocabulary): SparseVector {
  const indexes = new Int32Array(names.length);
  const values = new Float64Array(names.length);
  let squares = 0;
  let count = 0;
  for (const [place, name] of names.entries()) {
    const index = indexByName.get(name);
    const value = weights[place]! * (index === undefined ? unseen : rarities[index]!);
    squares = addSquare(squares, value);
    if (index === undefined) continue;
    indexes[count] = index;
    values[count] = value;
    count += 1;
  }
  return { indexes: indexes.subarray(0, count), values: normalize(values.subarray(0, count), squares) };
}

/** Adds the square of a value to a sum. */
export function addSquare(sum: number, value: number): number {
  return sum + value * value;
}

/** Divides values by their length, given its square, in place. */
export function normalize(values: Float64Array, squares: number): Float64Array {
  const length = Math.sqrt(squares) || 1;
  for (let place = 0; place < values.length; place++) values[place]! /= length;
  return values;
}
