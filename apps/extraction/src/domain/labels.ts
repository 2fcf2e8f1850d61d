import { joined } from "./fold.ts";
import type { Cell, Layout } from "./layout/layout.ts";
import type { Concept } from "./lexicon/concept.ts";

/** An occurrence of a label in a document. */
export interface LabelHit {
  readonly cell: Cell;
  /** The start and end in the text of the cell, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** The keys of the concepts and columns that the label names, with how well it names them (0 to 1). */
  readonly meanings: ReadonlyMap<string, number>;
  /** How likely the text is used as a label, from 0 to 1. Text at the beginning of a cell or before a colon scores highest. */
  readonly prominence: number;
}

/** An index of labels: folded and joined phrases with their meanings. */
export interface LabelIndex {
  /** Returns the meanings of a phrase; undefined if it is not a label. */
  exact(phrase: string): ReadonlyMap<string, number> | undefined;
  /**
   * Returns the labels that are this phrase, or become it when one character is left out. Used to tolerate one wrong, missing or additional
   * character.
   */
  findSimilar(phrase: string): readonly string[];
  /** Returns whether a label may differ from this phrase by at most one character. */
  mayResemble(phrase: string): boolean;
}

/** The suffix in the lexicon of labels that often mean something else. */
const WEAK = "~";
/** German compounds whose last part is the title of a document: "Mietrechnung", "Handelsrechnung". */
const COMPOUND = /^\p{L}{3,24}(rechnung|gutschrift)$/u;
const MAX_LABEL_WORDS = 6;
const MIN_FUZZY_LENGTH = 6;

/** Creates an index of the labels of concepts, keyed by concept id. Creating it is expensive; reuse it for all documents. */
export function conceptLabels(concepts: readonly Concept[]): LabelIndex {
  const exact = new Map<string, Map<string, number>>();
  const add = (phrase: string, key: string, weight: number): void => {
    const text = getLabel(phrase);
    if (text !== undefined) exact.set(text, addMeaning(exact.get(text), key, weight));
  };
  for (const concept of concepts) {
    concept.names.forEach((name, index) => {
      add(name, concept.id, name.endsWith(WEAK) ? 0.55 : 0.95 - Math.min(0.1, index * 0.004));
    });
    for (const label of concept.labels) add(label, concept.id, label.endsWith(WEAK) ? 0.55 : 0.88);
  }
  const { find, mayResemble } = createSimilarityIndex(exact.keys());
  return { exact: (phrase) => exact.get(phrase), findSimilar: (phrase) => find(phrase) ?? [], mayResemble };
}

/** Extends an index by labels with the given keys, the best label of each first. */
export function withOwnLabels(index: LabelIndex, own: ReadonlyMap<string, readonly string[]>): LabelIndex {
  const exact = new Map<string, Map<string, number>>();
  for (const [key, labels] of own) {
    labels.forEach((label, place) => {
      const text = getLabel(label);
      if (text === undefined) return;
      exact.set(text, addMeaning(exact.get(text) ?? index.exact(text), key, place === 0 ? 1 : 0.97));
    });
  }
  const similar = createSimilarityIndex([...exact.keys()].filter((text) => index.exact(text) === undefined));
  return {
    exact: (phrase) => exact.get(phrase) ?? index.exact(phrase),
    findSimilar(phrase) {
      const more = similar.find(phrase);
      return more === undefined ? index.findSimilar(phrase) : [...index.findSimilar(phrase), ...more];
    },
    mayResemble: (phrase) => index.mayResemble(phrase) || similar.mayResemble(phrase),
  };
}

function getLabel(phrase: string): string | undefined {
  const text = phrase.includes("%") ? `${joined(phrase)}%` : joined(phrase);
  return text === "" || text.length > 80 ? undefined : text;
}

function addMeaning(
  meanings: ReadonlyMap<string, number> | undefined,
  key: string,
  weight: number,
): Map<string, number> {
  return new Map(meanings).set(key, Math.max(weight, meanings?.get(key) ?? 0));
}

function createSimilarityIndex(texts: Iterable<string>) {
  const similar = new Map<string, string[]>();
  const ends = new Map<number, Set<string>>();
  for (const text of texts) {
    if (text.length < MIN_FUZZY_LENGTH) continue;
    const ofLength = ends.get(text.length) ?? new Set<string>();
    ends.set(text.length, ofLength);
    for (const length of similarLengths(text)) for (const end of getEnds(text, length)) ofLength.add(end);
    for (const shorter of new Set([text, ...shortened(text)])) {
      const known = similar.get(shorter);
      if (known === undefined) similar.set(shorter, [text]);
      else known.push(text);
    }
  }
  return {
    find: (phrase: string) => similar.get(phrase),
    mayResemble: (phrase: string) =>
      similarLengths(phrase).some((length) => {
        const ofLength = ends.get(length);
        return ofLength !== undefined && getEnds(phrase, length).some((end) => ofLength.has(end));
      }),
  };
}

function similarLengths({ length }: string): readonly number[] {
  return [length - 1, length, length + 1];
}

/**
 * Returns the beginning and the end of a text that may be similar to one of the given length. If they differ by one character, this is in one
 * half of them, and the other half is the same.
 */
function getEnds(text: string, otherLength: number): readonly [string, string] {
  const half = Math.min(text.length, otherLength) >> 1;
  return [text.slice(0, half), text.slice(-half)];
}

/** Finds all labels of a document. If labels overlap, the longer one is used: "Sub total" is not "total". */
export function labelHits(layout: Layout, index: LabelIndex): LabelHit[][] {
  // Long documents are prose, in which tolerating misread labels is not worth the time.
  const tolerant = layout.cells.reduce((count, cell) => count + cell.tokens.length, 0) < 6_000;
  return layout.rows.map((row) => row.cells.flatMap((cell) => hitsIn(cell, index, tolerant)));
}

function hitsIn(cell: Cell, index: LabelIndex, tolerant: boolean): LabelHit[] {
  const found: { start: number; end: number; length: number; meanings: ReadonlyMap<string, number>; factor: number }[] =
    [];
  const { tokens, text } = cell;
  for (let first = 0; first < tokens.length; first += 1) {
    let phrase = "";
    for (let last = first; last < Math.min(tokens.length, first + MAX_LABEL_WORDS); last += 1) {
      const token = tokens[last];
      const previous = tokens[last - 1];
      if (!token || (last > first && previous && token.start - previous.end > 4)) break;
      phrase += token.text;
      const start = tokens[first]?.start ?? 0;
      const percent = /^[ -]?(?:in )?%/u.exec(text.slice(token.end, token.end + 5));
      const withPercent = percent ? index.exact(`${phrase}%`) : undefined;
      if (withPercent)
        found.push({
          start,
          end: token.end + (percent?.[0].length ?? 0),
          length: phrase.length + 1,
          meanings: withPercent,
          factor: 1,
        });
      const meanings = index.exact(phrase) ?? (first === last ? compound(phrase, index) : undefined);
      if (meanings) found.push({ start, end: token.end, length: phrase.length, meanings, factor: 1 });
      else if (tolerant) {
        const close = fuzzy(phrase, index);
        if (close) found.push({ start, end: token.end, length: phrase.length - 3, meanings: close, factor: 0.85 });
      }
    }
  }
  const kept: typeof found = [];
  for (const hit of found.sort(
    (one, other) => other.length - one.length || other.factor - one.factor || one.start - other.start,
  )) {
    if (!kept.some((other) => other.start < hit.end && hit.start < other.end)) kept.push(hit);
  }
  return kept
    .sort((one, other) => one.start - other.start)
    .map(({ start, end, meanings, factor }) => ({
      cell,
      start,
      end,
      meanings,
      prominence: factor * getProminence(cell, start, end),
    }));
}

/** A label is most prominent alone in a cell, at its beginning or before a colon, and least within a long line of words. */
function getProminence(cell: Cell, start: number, end: number): number {
  const before = cell.text.slice(0, start);
  const after = cell.text.slice(end, end + 8);
  const colon = /^[^\p{L}\d]{0,3}[:#№]/u.test(after);
  const isFirst = !/\p{L}/u.test(before);
  const opened = isFirst || /[:;|.]/u.test(before.trimEnd().at(-1) ?? "");
  const word = !isFirst && /^\p{Ll}/u.test(cell.text.slice(start));
  let prominence = opened ? 1 : colon ? 0.85 : 0.65;
  if (colon && opened) prominence = 1;
  if (!colon && cell.tokens.length > 10) prominence *= 0.55;
  if (word && !colon) prominence *= 0.7;
  return prominence;
}

function compound(word: string, index: LabelIndex): ReadonlyMap<string, number> | undefined {
  const title = COMPOUND.exec(word)?.[1];
  return title ? index.exact(title) : undefined;
}

function fuzzy(phrase: string, index: LabelIndex): ReadonlyMap<string, number> | undefined {
  if (phrase.length < MIN_FUZZY_LENGTH || phrase.length > 30 || /^\d/u.test(phrase)) return undefined;
  // Few phrases do, and looking for the others would take most of the time of an extraction.
  if (!index.mayResemble(phrase)) return undefined;
  for (const shorter of [phrase, ...shortened(phrase)]) {
    for (const similar of index.findSimilar(shorter)) if (within(phrase, similar)) return index.exact(similar);
  }
  return undefined;
}

function shortened(text: string): string[] {
  return Array.from({ length: text.length }, (_, index) => text.slice(0, index) + text.slice(index + 1));
}

/** Whether two texts differ by at most one changed, missing or additional character, which is neither the first one nor a digit. */
function within(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one[0] !== other[0]) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  let fromEnd = 0;
  const maxSuffix = Math.min(one.length, other.length) - start;
  while (fromEnd < maxSuffix && one[one.length - 1 - fromEnd] === other[other.length - 1 - fromEnd]) fromEnd += 1;
  return one.length - start - fromEnd <= 1 && other.length - start - fromEnd <= 1;
}
