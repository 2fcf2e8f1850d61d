import { stem, splitWords } from "./text-terms.ts";

const MAX_SEGMENTS = 20;
const MAX_SEGMENT_WORDS = 12;
const MAX_CHARACTERS = 3_000;

/** Words in the titles of many kinds of documents, which say little about the kind. */
const COMMON_TITLE_WORDS: ReadonlySet<string> = new Set(
  `agreement contract form report letter statement document commercial business general certificate note notice order
   vertrag vereinbarung bericht formular contrat accord rapport formulaire`
    .split(/\s+/)
    .map(stem),
);

/** A part of a document that may be its title: its distinct words, and the number of those that are not numbers (at least 1). */
export interface TitleSegment {
  readonly words: ReadonlySet<string>;
  readonly length: number;
  /** The part before a "to", if there is one: "Amendment" in "Amendment to the lease agreement". */
  readonly lead?: TitleSegment;
  /** How much more than others the segment counts, 1 by default. */
  readonly weight?: number;
}

/** A title that says what it refers to leaves no doubt about what the document itself is. */
const LEAD_WEIGHT = 2;

/** Separates what a document is from what it refers to: "Amendment to ...", "Nachtrag zum ...", "Avenant au ...". */
const REFERENCE = /\s(?:to|zu|zum|zur|à|au|aux)\s/iu;

/** A longer part is a sentence rather than the name of a kind. */
const MAX_LEAD_WORDS = 2;

function toSegment(raw: string): TitleSegment {
  const words = new Set(splitWords(raw).slice(0, MAX_SEGMENT_WORDS));
  return { words, length: Math.max(1, [...words].filter((word) => !/^\p{N}+$/u.test(word)).length) };
}

/** Splits the beginning of a document into segments that may be its title: lines, cells and sentences, in order. */
export function splitTitleSegments(text: string): TitleSegment[] {
  const segments: TitleSegment[] = [];
  for (const raw of text.slice(0, MAX_CHARACTERS).split(/[\n\r\t]|\s{3,}|(?<=\p{Ll}{2})[.;]\s/u)) {
    if (segments.length === MAX_SEGMENTS) break;
    const segment = toSegment(raw);
    if (segment.words.size === 0) continue;
    const end = raw.search(REFERENCE);
    const lead = end === -1 ? undefined : toSegment(raw.slice(0, end));
    const isTitle = lead !== undefined && lead.words.size > 0 && lead.length <= MAX_LEAD_WORDS;
    segments.push(isTitle ? { ...segment, lead } : segment);
  }
  return segments;
}

/**
 * Returns the segments as they count for routes with these words in their names: an "Amendment to the lease agreement" is an amendment and
 * not a lease agreement, if there is a route for amendments. Common title words do not name a kind.
 */
export function resolveReferences(segments: readonly TitleSegment[], nameWords: ReadonlySet<string>): TitleSegment[] {
  return segments.map((segment) => {
    const { lead } = segment;
    const named =
      lead !== undefined && [...lead.words].some((word) => nameWords.has(word) && !COMMON_TITLE_WORDS.has(word));
    return named ? { ...lead, weight: LEAD_WEIGHT } : segment;
  });
}

/** A name that titles are compared with: its distinct words with their weights. */
export interface TitleName {
  readonly words: readonly string[];
  readonly weights: readonly number[];
  readonly total: number;
}

/** Prepares a name for comparisons. Common title words ("agreement", "report") have a quarter of the weight of others. */
export function toTitleName(name: readonly string[], getDamping: (word: string) => number = () => 1): TitleName {
  const words = [...new Set(name)];
  const weights = words.map((word) => (COMMON_TITLE_WORDS.has(word) ? 0.25 : 1) * getDamping(word));
  return { words, weights, total: weights.reduce((sum, weight) => sum + weight, 0) };
}

/**
 * Computes how well one of the segments matches one of `names`, from 0 to 1, or to 2 for the lead of a reference:
 * the maximum of `coverage² · √precision / (1 + 0.05 i)` over names and segments, where coverage is the share of the name's weight
 * that segment i contains, and precision the share of the segment's words that belong to the name. Numbers do not count.
 */
export function scoreTitle(segments: readonly TitleSegment[], names: readonly TitleName[]): number {
  let best = 0;
  for (const { words: nameWords, weights, total } of names) {
    for (const [index, { words, length, weight: emphasis = 1 }] of segments.entries()) {
      let found = 0;
      let hits = 0;
      for (let place = 0; place < nameWords.length; place++) {
        if (!words.has(nameWords[place]!)) continue;
        found += weights[place]!;
        hits += 1;
      }
      if (hits === 0) continue;
      const match = (found / total) ** 2 * Math.sqrt(Math.min(1, hits / length));
      best = Math.max(best, (emphasis * match) / (1 + 0.05 * index));
    }
  }
  return best;
}
