import { fold } from "@switchyard/text";
import { STOP_WORDS } from "./stop-words.ts";

/** Only so much of a document is read for routing: its type shows early, and the work stays bounded. */
export const SCORED_CHARACTERS = 5_000;
/** The head of a document, where titles and letterheads stand; its terms count three times (once, and twice more). */
export const HEAD_CHARACTERS = 600;
const LONGEST_WORD = 40;

/** Terms (stemmed words and pairs of adjacent words) with how often each occurs. */
export type TermCounts = ReadonlyMap<string, number>;

/** What the scorer reads of a document: term counts with the head weighted, and how many words were counted. */
export interface DocumentTerms {
  readonly counts: TermCounts;
  /** Each term as it first stands in the text. */
  readonly shown: ReadonlyMap<string, string>;
  /** Words, head ones counted three times, pairs not counted. */
  readonly length: number;
  /** The share of words that hold a digit, 0 to 1: about 0.02 in prose, 0.2 and more in invoices and receipts. */
  readonly numberShare: number;
}

/**
 * A light suffix stripper for English, German and French: plural, participle and final e. It conflates forms of a word;
 * it does not find its dictionary form. `word` is folded.
 */
export function stem(word: string): string {
  let stemmed = word;
  if (stemmed.length > 4 && stemmed.endsWith("ies")) stemmed = `${stemmed.slice(0, -3)}y`;
  else if (stemmed.length > 3 && /[^siu]s$/.test(stemmed)) stemmed = stemmed.slice(0, -1);
  if (stemmed.length > 6 && stemmed.endsWith("ing")) stemmed = stemmed.slice(0, -3);
  else if (stemmed.length > 5 && /(?:ed|en)$/.test(stemmed)) stemmed = stemmed.slice(0, -2);
  return stemmed.length > 4 && stemmed.endsWith("e") ? stemmed.slice(0, -1) : stemmed;
}

interface Word {
  readonly term: string;
  /** As it stands in the text, folded: what a person is shown. */
  readonly shown: string;
}

function readWords(text: string): Word[] {
  const words: Word[] = [];
  // "W-2" and "I-9" are names of forms: a letter, a hyphen and a digit stay together.
  for (const match of fold(text)
    .replace(/(\p{L})-(?=\d)/gu, "$1")
    .matchAll(/([\p{L}\p{N}]+)(:?)/gu)) {
    const [, shown = "", colon] = match;
    if (shown.length > LONGEST_WORD) continue;
    if (STOP_WORDS.has(shown)) {
      if (colon) words.push({ term: `${shown}:`, shown: `${shown}:` });
    } else if (shown.length > 1 || /\d/.test(shown)) words.push({ term: stem(shown), shown });
  }
  return words;
}

function withPairs(words: readonly Word[]): Word[] {
  return words.concat(
    words.slice(1).map((second, index) => {
      const first = words[index] ?? second;
      return { term: `${first.term} ${second.term}`, shown: `${first.shown} ${second.shown}` };
    }),
  );
}

/**
 * The words of a text in order: folded, stemmed, without stop words, single letters and words longer than any real one.
 * A stop word before a colon is the label of a field, not a function word, and stays with its colon: "from:", "to:".
 */
export function splitWords(text: string): string[] {
  return readWords(text).map((word) => word.term);
}

/** Whether a term is a pair of words. */
export function isPair(term: string): boolean {
  return term.includes(" ");
}

/** Words and pairs of adjacent words (stop words removed before pairing: "place of birth" has "place birth", stemmed). */
export function extractTerms(text: string): string[] {
  return withPairs(readWords(text)).map((word) => word.term);
}

/** Counts the terms of the first {@link SCORED_CHARACTERS} characters, those of the head three times. */
export function documentTerms(text: string): DocumentTerms {
  const counts = new Map<string, number>();
  const shown = new Map<string, string>();
  let length = 0;
  const add = (part: string, weight: number): void => {
    for (const word of withPairs(readWords(part))) {
      counts.set(word.term, (counts.get(word.term) ?? 0) + weight);
      if (!shown.has(word.term)) shown.set(word.term, word.shown);
      if (!isPair(word.term)) length += weight;
    }
  };
  add(text.slice(0, SCORED_CHARACTERS), 1);
  add(text.slice(0, HEAD_CHARACTERS), 2);
  const tokens = text.slice(0, SCORED_CHARACTERS).match(/[\p{L}\p{N}]+/gu) ?? [];
  const numbers = tokens.filter((token) => /\p{N}/u.test(token)).length;
  return { counts, shown, length, numberShare: tokens.length > 0 ? numbers / tokens.length : 0 };
}
