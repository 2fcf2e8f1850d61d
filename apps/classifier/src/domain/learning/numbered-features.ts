import type { DocumentTerms, TermCounts } from "../scoring/text-terms.ts";
import { countOnce, toHeadFeature } from "./features.ts";

/**
 * The features of a text that is learned from, in the order of `toFeatures`, by their numbers. There are millions of features in 1,000 texts, so
 * the name of each is looked up once, and numbers are compared from then on.
 */
export interface NumberedFeatures {
  /** The numbers of the terms, and after them those of the terms of the head. */
  readonly numbers: Int32Array;
  /** How often each is in the text, at the same index. */
  readonly frequencies: Int32Array;
  /** The number of terms, without those of the head. */
  readonly terms: number;
}

/** Numbers the features of texts, in the order in which they appear. */
export interface FeatureNumbering {
  /** The name of each feature, by its number. */
  readonly names: readonly string[];
  /** Returns the features of a document. */
  number(document: Pick<DocumentTerms, "counts" | "head">): NumberedFeatures;
  /** Returns the features of a document with more terms than were numbered before. */
  extend(features: NumberedFeatures, counts: TermCounts): NumberedFeatures;
}

/** Creates a numbering, which has no features yet. */
export function createFeatureNumbering(): FeatureNumbering {
  const names: string[] = [];
  const numberByName = new Map<string, number>();

  function toNumber(name: string): number {
    const known = numberByName.get(name);
    if (known !== undefined) return known;
    const number = names.push(name) - 1;
    numberByName.set(name, number);
    return number;
  }

  return {
    names,

    number({ counts, head }) {
      const numbers = new Int32Array(counts.size + head.size);
      const frequencies = new Int32Array(numbers.length);
      let place = 0;
      for (const [term, count] of counts) {
        numbers[place] = toNumber(term);
        frequencies[place] = countOnce(count, head.get(term));
        place += 1;
      }
      for (const [term, count] of head) {
        numbers[place] = toNumber(toHeadFeature(term));
        frequencies[place] = count;
        place += 1;
      }
      return { numbers, frequencies, terms: counts.size };
    },

    extend({ numbers, frequencies, terms }, counts) {
      const placeByNumber = new Map<number, number>();
      for (let place = 0; place < terms; place++) placeByNumber.set(numbers[place]!, place);
      const all = { numbers: [...numbers.subarray(0, terms)], frequencies: [...frequencies.subarray(0, terms)] };
      for (const [term, count] of counts) {
        const number = toNumber(term);
        const place = placeByNumber.get(number);
        if (place !== undefined) all.frequencies[place]! += count;
        else {
          all.numbers.push(number);
          all.frequencies.push(count);
        }
      }
      return {
        numbers: Int32Array.from(all.numbers.concat(...numbers.subarray(terms))),
        frequencies: Int32Array.from(all.frequencies.concat(...frequencies.subarray(terms))),
        terms: all.numbers.length,
      };
    },
  };
}
