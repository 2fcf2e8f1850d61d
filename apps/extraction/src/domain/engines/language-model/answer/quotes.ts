import type { TextLine } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { getLetters } from "../../../fold.ts";
import type { Cell, Layout } from "../../../layout/layout.ts";
import type { Span } from "../../../layout/span.ts";

/** A place in a document at which words are printed. */
export interface Place {
  readonly spans: readonly [Span, ...Span[]];
  /** The place in the reading order: smaller ones come first, and the nearest are next to each other. */
  readonly position: number;
}

/** Finds the places of a document at which words are printed, in reading order; none if they are not in it. */
export interface QuoteSearch {
  /** Finds words in the whole document: their first places, at most `MAX_PLACES`. */
  find(words: string): readonly Place[];
  /** Finds words that begin on a line. */
  findOn(words: string, line: TextLine): readonly Place[];
  /** Finds the places of words next to a position, if `find` returns only some of all: at most `MAX_PLACES`. */
  findNear(words: string, position: number): readonly Place[];
}

/** The maximum number of places of the same words. */
const MAX_PLACES = 200;
/** The maximum number of characters that all searches in a document read, which bounds the work for answers with many rows. */
const MAX_WORK = 3_000_000_000;

/**
 * Creates the search for quotes in a document. Words are found whatever their case, accents, spaces, line breaks and punctuation, but only as
 * whole words and with the same numbers: "12" is not found in "12.50", and "1.23" not in "12.3". Words without a letter or digit are not
 * found. Never throws.
 */
export function createQuoteSearch({ cells }: Pick<Layout, "cells">): QuoteSearch {
  const stream = createStream(cells);
  const known = new Map<string, readonly Place[]>();
  let work = 0;

  /** Returns the first places from a position on, or the last ones before it, that begin in a range of the stream. */
  function search(words: string, [from, to]: Range, most: number, backwards = false): Place[] {
    const letters = getLetters(words);
    if (letters === "" || work > MAX_WORK) return [];
    const numbers = getNumbers(words);
    const text = stream.text.slice(from, to + letters.length - 1);
    const next = (at: number): number => (backwards ? findLast(text, letters, at - 1) : text.indexOf(letters, at + 1));
    const start = backwards ? text.length : -1;
    const places: Place[] = [];
    let at = next(start);
    while (at >= 0 && places.length < most) {
      const position = from + at;
      const spans = stream.getSpans(position, position + letters.length);
      if (isWhole(spans) && getNumbers(print(spans)) === numbers) places.push({ spans, position });
      at = next(at);
    }
    work += at < 0 ? text.length : Math.abs(at - start);
    return backwards ? places.reverse() : places;
  }

  function find(words: string): readonly Place[] {
    const places = known.get(words) ?? search(words, [0, stream.text.length], MAX_PLACES);
    known.set(words, places);
    return places;
  }

  return {
    find,
    findOn(words, line) {
      const range = stream.ranges.get(line);
      return range === undefined ? [] : search(words, range, MAX_PLACES);
    },
    findNear(words, position) {
      const first = find(words);
      if (first.length < MAX_PLACES) return first;
      const before = search(words, [0, position], MAX_PLACES / 2, true);
      return [...before, ...search(words, [position, stream.text.length], MAX_PLACES / 2)];
    },
  };
}

/** Returns the last position of letters up to a position; -1 if there is none. */
function findLast(text: string, letters: string, upTo: number): number {
  return upTo < 0 ? -1 : text.lastIndexOf(letters, upTo);
}

/** Returns the text of spans, separated by spaces. */
export function print(spans: readonly Span[]): string {
  return spans.map(({ cell, start, end }) => cell.text.slice(start, end)).join(" ");
}

type Range = readonly [from: number, to: number];

/** The letters and digits of a document, and where each of them is. */
interface Stream {
  readonly text: string;
  /** The part of the text that each line has. */
  readonly ranges: ReadonlyMap<TextLine, Range>;
  getSpans(start: number, end: number): readonly [Span, ...Span[]];
}

function createStream(cells: readonly Cell[]): Stream {
  const parts: string[] = [];
  const cellOf: number[] = [];
  const startOf: number[] = [];
  const endOf: number[] = [];
  const ranges = new Map<TextLine, Range>();
  cells.forEach((cell, index) => {
    const start = cellOf.length;
    let offset = 0;
    for (const mark of cell.text) {
      const letters = /[a-z0-9]/u.test(mark) ? mark : getLetters(mark);
      // A letter may be folded to several, and an accent that is a character of its own to none.
      for (let each = 0; each < letters.length; each += 1) {
        cellOf.push(index);
        startOf.push(offset);
        endOf.push(offset + mark.length);
      }
      parts.push(letters);
      offset += mark.length;
    }
    ranges.set(cell.line, [ranges.get(cell.line)?.[0] ?? start, cellOf.length]);
  });
  return {
    text: parts.join(""),
    ranges,
    getSpans(start, end) {
      const spans: { cell: Cell; start: number; end: number }[] = [];
      for (let at = start; at < end; at += 1) {
        const cell = cells[cellOf[at] as number] as Cell;
        const last = spans.at(-1);
        if (last?.cell === cell) last.end = endOf[at] as number;
        else spans.push({ cell, start: startOf[at] as number, end: endOf[at] as number });
      }
      return spans as unknown as [Span, ...Span[]];
    },
  };
}

/** Whether spans begin and end between words, and not within a number. */
function isWhole(spans: readonly [Span, ...Span[]]): boolean {
  const [first] = spans;
  const last = spans.at(-1) ?? first;
  const [start, end] = [around(first.cell.text, first.start), around(last.cell.text, last.end)];
  return !continues(start, true) && !continues(end, false);
}

/** Returns the two characters before and after a position. */
function around(text: string, position: number): readonly [left: string, right: string] {
  return [text.slice(Math.max(0, position - 2), position), text.slice(position, position + 2)];
}

/** Whether a word or number continues from the left text to the right one. Scripts without spaces have no ends of words. */
function continues([left, right]: readonly [string, string], isStart: boolean): boolean {
  if (/\d$/u.test(left) && /^\d/u.test(right)) return true;
  if (isStart ? /\d[.,'’]$/u.test(left) && /^\d/u.test(right) : /\d$/u.test(left) && /^[.,'’]\d/u.test(right))
    return true;
  return /[\p{L}\p{M}\d]$/u.test(left) && /^[\p{L}\p{M}\d]/u.test(right) && ![left.at(-1), right[0]].some(isUnspaced);
}

function isUnspaced(mark = ""): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u.test(
    mark,
  );
}

/** Returns the digits of a text with the marks between them. */
function getNumbers(text: string): string {
  const plain = text
    .normalize("NFKC")
    .replace(/\s+/gu, "")
    .replace(/[‐-―−]/gu, "-");
  return [...plain.matchAll(/\d(?:[.,'’:/-](?=\d)|\d)*/gu)].map(([number]) => number).join(" ");
}
