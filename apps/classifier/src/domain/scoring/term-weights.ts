import { concepts } from "./concepts.ts";
import { splitWords, type DocumentTerms } from "./text-terms.ts";

/** Words that documents of nearly every kind contain. */
const COMMON_WORDS: ReadonlySet<string> = new Set(
  splitWords(`date name number company address total amount description title party term effective signature page time product
    services goods business person individual order contract state act year type document information general copy part use
    work public people file based section client customer`),
);
const COMMON_WORD_RARITY = 0.4;

const conceptCounts: ReadonlyMap<string, number> = concepts
  .flatMap(({ evidence }) => [...evidence])
  .reduce((counts, term) => counts.set(term, (counts.get(term) ?? 0) + 1), new Map<string, number>());

/** All rarities that are not 1. */
const rarities: ReadonlyMap<string, number> = new Map(
  [...conceptCounts.keys(), ...COMMON_WORDS].map((term) => {
    const general = 1 / (1 + Math.log(Math.max(1, conceptCounts.get(term) ?? 0)));
    return [term, COMMON_WORDS.has(term) ? Math.min(general, COMMON_WORD_RARITY) : general];
  }),
);

/**
 * Returns how much a term says about the kind of a document in general, in (0, 1]: `1 / (1 + ln n)` for a term that is evidence of n
 * concepts of the lexicon, and at most 0.4 for a common word. It replaces document frequencies, which a classifier with one route
 * does not have.
 */
export function rarity(term: string): number {
  return rarities.get(term) ?? 1;
}

/**
 * Returns how well a term distinguishes `groups` routes if `holders` of them have it, in (0, 1]: the BM25 inverse document frequency
 * `ln(1 + (N - n + 0.5) / (n + 0.5))`, relative to that of a term that one route has. It is 1 for a single route.
 */
export function distinction(holders: number, groups: number): number {
  const inverseFrequency = (count: number): number => Math.log(1 + (groups - count + 0.5) / (count + 0.5));
  return inverseFrequency(holders) / inverseFrequency(1);
}

/** Returns the BM25 term saturation with length normalization: `f (k + 1) / (f + k (0.7 + 0.3 length / 400))`. */
export function saturation(frequency: number, document: DocumentTerms, k: number): number {
  return (frequency * (k + 1)) / (frequency + k * (0.7 + (0.3 * document.length) / 400));
}
