import type { RecognizedCharacter } from "./characters.ts";
import type { Picture } from "./picture/picture.ts";

/** A word in a strip: its characters, and where it starts and ends as fractions of the strip's length. */
export interface StripWord {
  readonly text: string;
  readonly confidence: number;
  readonly start: number;
  readonly end: number;
}

/** Gaps without ink of at least this part of the strip's height separate words, if they are also wide for the line. */
const minimumGap = 0.2;
/** ... and if they are wider than the typical gap between the letters of the line by this part of the height. */
const widerThanTypical = 0.12;
/** Where a model that writes spaces left one out beside a mark, gaps of this part of the height show it. */
const gapOfMissedSpace = 0.25;
/** Two characters between which a space is left out: the end of a word with a mark and the next word, or a word and a bracket or sign. */
const missedSpace = /^(?:[.,;)\]]\p{L}|\)[\d(]|[\p{L}\d][([&]|&\p{L})$/u;
/** Scripts that are written without spaces. */
const wideCharacters = /[\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af]/u;

/** The characters of a line, with the gaps between those that are printed. */
export interface SpacedLine {
  readonly characters: readonly RecognizedCharacter[];
  readonly gaps: readonly Gap[];
  /** For each gap, whether it is so wide that it separates words. */
  readonly isWide: readonly boolean[];
}

/** Finds the gaps of a line in its strip. */
export function findSpaces(characters: readonly RecognizedCharacter[], strip: Picture): SpacedLine {
  const printed = characters.filter(isPrinted);
  const inked = findInkedColumns(strip);
  const gaps = findGaps(printed, strip, inked);
  const separates = createSeparation(printed, gaps, {
    start: inked.indexOf(1) / strip.width,
    end: inked.lastIndexOf(1) / strip.width,
  });
  return { characters, gaps, isWide: gaps.map(separates) };
}

/**
 * Whether a model writes the spaces between the words of a page, which is so if there are at least half as many spaces as wide gaps.
 */
export function hasSpaces(lines: readonly SpacedLine[]): boolean {
  let spaces = 0;
  let wide = 0;
  for (const { characters, isWide } of lines) {
    spaces += characters.filter(
      (each, index) => !isPrinted(each) && index > 0 && isPrinted(characters[index - 1]!),
    ).length;
    wide += isWide.filter(Boolean).length;
  }
  return spaces > 0 && spaces >= wide / 2;
}

function isPrinted({ text }: RecognizedCharacter): boolean {
  return text.trim() !== "";
}

/**
 * Groups the characters of a line into words. If the model does not write spaces itself, they are put back where the strip has a wide gap
 * without ink between two characters; if it does, where it left one out between two words. Characters of scripts without spaces are not
 * separated.
 */
export function groupIntoWords({ characters, gaps, isWide }: SpacedLine, writesSpaces: boolean): StripWord[] {
  const words: RecognizedCharacter[][] = [];
  const edges: { start: number; end: number }[] = [];
  let index = 0;
  let blank = false;
  for (const character of characters) {
    if (!isPrinted(character)) {
      blank = true;
      continue;
    }
    const gap = gaps[index - 1];
    const previous = words.at(-1)?.at(-1)?.text ?? "";
    const isMissed = (): boolean =>
      gap !== undefined &&
      gap.width >= gapOfMissedSpace &&
      missedSpace.test((previous + character.text).normalize("NFKC"));
    const wide = isWide[index - 1] === true && (!writesSpaces || isMissed());
    const joins = gap !== undefined && wideCharacters.test(character.text) && wideCharacters.test(previous);
    // A sign with a space on one side has one on the other.
    const afterSign =
      previous === "&" && words.length > 1 && words.at(-1)?.length === 1 && /\p{L}/u.test(character.text);
    if (gap === undefined) {
      words.push([character]);
      edges.push({ start: 0, end: 1 });
    } else if ((wide && !joins) || blank || afterSign) {
      edges.at(-1)!.end = gap.start;
      words.push([character]);
      edges.push({ start: gap.end, end: 1 });
    } else words.at(-1)!.push(character);
    index += 1;
    blank = false;
  }
  return words.map((word, place) => ({
    text: toHalfWidth(word.map(({ text }) => text).join("")),
    confidence: word.reduce((sum, { confidence }) => sum + confidence, 0) / word.length,
    ...edges[place]!,
  }));
}

/**
 * Creates the function that tells whether a gap separates words. Where all characters have cells of equal width, narrow characters have wide
 * gaps beside them, so that the distances between their centers decide.
 */
function createSeparation(
  characters: readonly RecognizedCharacter[],
  gaps: readonly Gap[],
  ink: { start: number; end: number },
): (gap: Gap, index: number) => boolean {
  const typical = median(gaps.map((gap) => gap.width));
  const starts = [ink.start, ...gaps.map((gap) => gap.end)];
  const centers = starts.map((start, index) => (start + (gaps[index]?.start ?? ink.end)) / 2);
  const distances = gaps.map((_, index) => centers[index + 1]! - centers[index]!);
  const pitch = median(distances);
  const regular = distances.filter((distance) => isMultiple(distance / pitch)).length;
  const isMonospaced = distances.length >= minimumCells && regular >= regularCells * distances.length;
  const text = (index: number): string => characters[index]?.text ?? "";
  return (gap, index) => {
    if (isMonospaced) return gap.width >= minimumGap && distances[index]! > 1.5 * pitch;
    const point = /^\d\.\d/.test(text(index - 1) + text(index) + text(index + 1));
    const digits = /^\d[\d.]/.test(text(index) + text(index + 1));
    const minimum = point ? gapAfterPoint : digits ? gapBetweenDigits : minimumGap;
    return gap.width >= Math.max(minimum, typical + widerThanTypical);
  };
}

/** The gap that is needed between a decimal point and the digit after it, which is often wide. */
const gapAfterPoint = 0.5;
/** The gap that is needed between two digits. They have equal widths, so that the narrow 1 has wide gaps. */
const gapBetweenDigits = 0.28;
/** The number of distances that show whether a line has characters of equal width, and the part that must be multiples of one width. */
const minimumCells = 4;
const regularCells = 0.8;

function isMultiple(ratio: number): boolean {
  return ratio > 0.5 && Math.abs(ratio - Math.round(ratio)) < 0.2;
}

/** Replaces the wide punctuation that the model sees in Latin text. */
function toHalfWidth(word: string): string {
  if (wideCharacters.test(word)) return word;
  return word
    .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll("。", ".")
    .replaceAll("、", ",");
}

/** A gap between two characters; its width is relative to the height of the strip, its edges to the strip's length. */
export interface Gap {
  readonly width: number;
  readonly start: number;
  readonly end: number;
}

/** Finds the widest gap without ink between the centers of each two adjacent characters. */
function findGaps(characters: readonly RecognizedCharacter[], strip: Picture, inked: Uint8Array): Gap[] {
  return characters.slice(1).map((character, index) => {
    const from = Math.round(characters[index]!.position * strip.width);
    const to = Math.round(character.position * strip.width);
    let best = { start: from, end: from };
    let start = from;
    for (let column = from; column <= to; column++) {
      if (column < to && inked[column] === 0) continue;
      if (column - start > best.end - best.start) best = { start, end: column };
      start = column + 1;
    }
    return {
      width: (best.end - best.start) / strip.height,
      start: best.start / strip.width,
      end: best.end / strip.width,
    };
  });
}

/** Marks the columns that have ink: pixels that differ clearly from the background, in the middle of the strip's height. */
function findInkedColumns({ width, height, pixels }: Picture): Uint8Array {
  const top = Math.round(height * 0.08);
  const bottom = Math.round(height * 0.92);
  const histogram = new Uint32Array(256);
  for (let at = top * width; at < bottom * width; at++) histogram[pixels[at]!]! += 1;
  const ground = quantile(histogram, 0.75);
  const darkest = quantile(histogram, 0.03);
  const lightest = quantile(histogram, 0.97);
  // Light letters on a dark background count like dark ones on a light background.
  const inverted = quantile(histogram, 0.5) < (darkest + lightest) / 2;
  const limit = inverted ? (quantile(histogram, 0.25) + lightest) / 2 : (ground + darkest) / 2;
  const inked = new Uint8Array(width);
  for (let x = 0; x < width; x++) {
    for (let y = top; y < bottom && inked[x] === 0; y++) {
      const value = pixels[y * width + x]!;
      if (inverted ? value > limit : value < limit) inked[x] = 1;
    }
  }
  return inked;
}

function quantile(histogram: Uint32Array, part: number): number {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  for (let value = 0; value < 256; value++) {
    seen += histogram[value]!;
    if (seen >= total * part) return value;
  }
  return 255;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
}
