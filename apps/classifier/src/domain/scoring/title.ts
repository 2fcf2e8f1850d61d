import { stem, splitWords } from "./text-terms.ts";

const SEGMENTS = 20;
const SEGMENT_WORDS = 12;
const READ_CHARACTERS = 3_000;

/** Words that stand in the titles of many kinds of documents and so tell little about the kind. */
const COMMON_TITLE_WORDS: ReadonlySet<string> = new Set(
  `agreement contract form report letter statement document commercial business general certificate note notice order
   vertrag vereinbarung bericht formular contrat accord rapport formulaire`
    .split(/\s+/)
    .map(stem),
);

/** A part of a document that may be its title: its distinct words, and how many of them are not numbers (at least 1). */
export interface TitleSegment {
  readonly words: ReadonlySet<string>;
  readonly length: number;
}

/** Segments of a document that may be its title, first ones first: lines, cells and sentences, in words. */
export function titleSegments(text: string): TitleSegment[] {
  const segments: TitleSegment[] = [];
  for (const raw of text.slice(0, READ_CHARACTERS).split(/[\n\r\t]|\s{3,}|(?<=\p{Ll}{2})[.;]\s/u)) {
    if (segments.length === SEGMENTS) break;
    const words = new Set(splitWords(raw).slice(0, SEGMENT_WORDS));
    if (words.size === 0) continue;
    segments.push({ words, length: Math.max(1, [...words].filter((word) => !/^\p{N}+$/u.test(word)).length) });
  }
  return segments;
}

/**
 * How well one of the first segments is the title `names` (each a list of words), 0 to 1: the best of
 * `coverage² · √precision / (1 + 0.05 i)` over names and segments, where coverage is the share of the name's weight
 * found in segment i and precision the share of the segment's words that belong to the name. Common title words
 * ("agreement", "report") weigh a quarter, and a word by what `damped` says of it. Numbers in a title do not count.
 */
export function titleMatch(
  segments: readonly TitleSegment[],
  names: readonly (readonly string[])[],
  damped: (word: string) => number = () => 1,
): number {
  let best = 0;
  for (const name of names) {
    const weights = new Map(name.map((word) => [word, (COMMON_TITLE_WORDS.has(word) ? 0.25 : 1) * damped(word)]));
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    for (const [index, { words, length }] of segments.entries()) {
      let found = 0;
      let hits = 0;
      for (const [word, weight] of weights) {
        if (!words.has(word)) continue;
        found += weight;
        hits += 1;
      }
      if (hits === 0) continue;
      best = Math.max(best, ((found / total) ** 2 * Math.sqrt(Math.min(1, hits / length))) / (1 + 0.05 * index));
    }
  }
  return best;
}
