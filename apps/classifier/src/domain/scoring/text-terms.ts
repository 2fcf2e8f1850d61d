import { fold } from "@switchyard/text";
import { STOP_WORDS } from "./stop-words.ts";

/** The part of a document that is read for routing. The type of a document shows early, and the work stays limited. */
export const MAX_SCORED_CHARACTERS = 5_000;
/** The head of a document, which contains titles and letterheads. Its terms count three times. */
export const HEAD_CHARACTERS = 600;
const MAX_WORD_LENGTH = 40;

/** The number of occurrences of each term. Terms are stemmed words and pairs of adjacent words. */
export type TermCounts = ReadonlyMap<string, number>;

/** The terms of a document. Those of the head count three times. */
export interface DocumentTerms {
  readonly counts: TermCounts;
  /** The terms of the head alone, counted once. */
  readonly head: TermCounts;
  /** Each term as first written in the text, if that was asked for. */
  readonly shown: ReadonlyMap<string, string>;
  /** The number of words, without pairs; those of the head count three times. */
  readonly length: number;
  /** The share of words with a digit, from 0 to 1: about 0.02 in prose, 0.2 and more in invoices and receipts. */
  readonly numberShare: number;
}

/**
 * Strips suffixes of English, German and French words: plurals, participles and a final e. It maps forms of a word to one stem, which
 * need not be the dictionary form. `word` must be folded.
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
  /** The word as written in the text, but folded. It is shown to people. */
  readonly shown: string;
}

function readWords(text: string): Word[] {
  const words: Word[] = [];
  // A letter, a hyphen and a digit are one word, as in the names of the forms "W-2" and "I-9".
  for (const match of fold(text)
    .replace(/(\p{L})-(?=\d)/gu, "$1")
    .matchAll(/([\p{L}\p{N}]+)(:?)/gu)) {
    const [, shown = "", colon] = match;
    if (shown.length > MAX_WORD_LENGTH) continue;
    if (STOP_WORDS.has(shown)) {
      if (colon) words.push({ term: `${shown}:`, shown: `${shown}:` });
    } else if (shown.length > 1 || /\d/.test(shown)) words.push({ term: stem(shown), shown });
  }
  return words;
}

/**
 * Splits a text into words, in order: folded, stemmed, without stop words, single letters and words longer than any real one.
 * A stop word before a colon is the label of a field, and is kept with its colon: "from:", "to:".
 */
export function splitWords(text: string): string[] {
  return readWords(text).map((word) => word.term);
}

/** Whether a term is a pair of words. */
export function isPair(term: string): boolean {
  return term.includes(" ");
}

/** Returns the words and the pairs of adjacent words of a text. Stop words are removed before pairing: "place of birth" has "place birth". */
export function extractTerms(text: string): string[] {
  const words = splitWords(text);
  return words.concat(words.slice(1).map((second, index) => `${words[index]} ${second}`));
}

/** What to return about the terms of a document. */
interface TermOptions {
  /** Whether to return each term as written in the text, which takes as much time and memory as counting them. True by default. */
  readonly asWritten?: boolean;
}

/** Counts the terms of the first {@link MAX_SCORED_CHARACTERS} characters. Those of the head count three times. */
export function toDocumentTerms(text: string, { asWritten = true }: TermOptions = {}): DocumentTerms {
  const counts = new Map<string, number>();
  const head = new Map<string, number>();
  const shown = new Map<string, string>();
  const written = asWritten ? shown : undefined;
  let length = addTerms(text.slice(0, MAX_SCORED_CHARACTERS), 1, [counts], written);
  length += addTerms(text.slice(0, HEAD_CHARACTERS), 2, [counts, head], written);
  const tokens = text.slice(0, MAX_SCORED_CHARACTERS).match(/[\p{L}\p{N}]+/gu) ?? [];
  const numbers = tokens.filter((token) => /\p{N}/u.test(token)).length;
  return { counts, head, shown, length, numberShare: tokens.length > 0 ? numbers / tokens.length : 0 };
}

/** Returns the terms of a document, with those up to `end` that follow the first {@link MAX_SCORED_CHARACTERS} characters of its text. */
export function extendTerms(document: DocumentTerms, text: string, end: number): DocumentTerms {
  if (Math.min(text.length, end) <= MAX_SCORED_CHARACTERS) return document;
  const counts = new Map(document.counts);
  const shown = new Map(document.shown);
  const length = document.length + addTerms(text.slice(MAX_SCORED_CHARACTERS, end), 1, [counts], shown);
  return { ...document, counts, shown, length };
}

/** Counts the terms of a part of a text, each once, in the order in which they appear: first the words, then the pairs. */
export function countTerms(part: string): TermCounts {
  const counts = new Map<string, number>();
  addTerms(part, 1, [counts], undefined);
  return counts;
}

/**
 * Adds the terms of a part of a text: to the first of `counts` each `weight` times, and to a second one once. Returns the number of words, each
 * counted `weight` times. `written` gets each term as first written.
 */
function addTerms(
  part: string,
  weight: number,
  [counts, once]: readonly [counts: Map<string, number>, once?: Map<string, number>],
  written: Map<string, string> | undefined,
): number {
  const words = readWords(part);
  const add = (term: string): void => {
    counts.set(term, (counts.get(term) ?? 0) + weight);
    once?.set(term, (once.get(term) ?? 0) + 1);
  };
  for (const { term, shown } of words) {
    add(term);
    if (written?.has(term) === false) written.set(term, shown);
  }
  // In the order of `extractTerms`.
  for (let place = 1; place < words.length; place++) {
    const [first, second] = [words[place - 1]!, words[place]!];
    const pair = `${first.term} ${second.term}`;
    add(pair);
    if (written?.has(pair) === false) written.set(pair, `${first.shown} ${second.shown}`);
  }
  return weight * words.length;
}
