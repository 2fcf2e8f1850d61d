import type { DocumentTerms, TermCounts } from "../scoring/text-terms.ts";

/** The marker of features of the head of a document, which no term contains. */
const HEAD_MARK = "^";

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

/** Returns the features of a document: its terms, and those of its head once more as features of their own. */
export function toFeatures({ counts, head }: Pick<DocumentTerms, "counts" | "head">): Features {
  const names: string[] = [];
  const weights = new Float64Array(counts.size + head.size);
  const add = (name: string, frequency: number): void => {
    weights[names.length] = 1 + Math.log(frequency);
    names.push(name);
  };
  // Terms of the head count three times in a document, but once here.
  for (const [term, count] of counts) add(term, Math.max(1, count - 2 * (head.get(term) ?? 0)));
  for (const [term, count] of head satisfies TermCounts) add(`${HEAD_MARK}${term}`, count);
  return { names, weights };
}

/** A vector with few entries that are not 0, in order of their indexes. Its length is at most 1. */
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

function getRarity(texts: number, holders: number): number {
  return Math.log(1 + (texts - holders + 0.5) / (holders + 0.5));
}

/**
 * Creates the vocabulary of texts, given their classes and the number of all classes. Each class counts alike in how rare a feature is, those
 * without texts included: otherwise, the more texts of a class there are, the less their common terms would weigh. Features are numbered in
 * their own order, so that the order of the texts has no effect.
 */
export function createVocabulary(
  texts: readonly Features[],
  classes: readonly number[],
  classCount: number,
): Vocabulary & { readonly names: readonly string[] } {
  const sizes = new Map<number, number>();
  for (const each of classes) sizes.set(each, (sizes.get(each) ?? 0) + 1);
  const typicalSize = texts.length / Math.max(1, sizes.size);
  const count = typicalSize * Math.max(classCount, sizes.size);
  const holders = new Map<string, number>();
  texts.forEach(({ names }, index) => {
    const share = typicalSize / sizes.get(classes[index]!)!;
    for (const name of names) holders.set(name, (holders.get(name) ?? 0) + share);
  });
  const names = [...holders.keys()].sort();
  return {
    names,
    indexByName: new Map(names.map((name, index) => [name, index])),
    rarities: Float64Array.from(names, (name) => getRarity(count, holders.get(name) ?? 1)),
    unseen: getRarity(count, 0),
  };
}

/** Returns the vector of a text, of length 1 with its features that are not in the vocabulary. These have no entry. */
export function toVector({ names, weights }: Features, { indexByName, rarities, unseen }: Vocabulary): SparseVector {
  const entries: [index: number, value: number][] = [];
  let squares = 0;
  names.forEach((name, place) => {
    const index = indexByName.get(name);
    const value = weights[place]! * (index === undefined ? unseen : rarities[index]!);
    squares += value * value;
    if (index !== undefined) entries.push([index, value]);
  });
  entries.sort(([left], [right]) => left - right);
  const length = Math.sqrt(squares) || 1;
  return {
    indexes: Int32Array.from(entries, ([index]) => index),
    values: Float64Array.from(entries, ([, value]) => value / length),
  };
}
