import type { ReadBox } from "../reading.ts";
import { withoutControls } from "../lines.ts";
import { hasRightToLeft, isMostlyFromRight, reorder } from "./writing-direction.ts";

/** A run of text on a page, in points from the upper left corner of the page as it is displayed. */
export interface Run {
  readonly text: string;
  /** The start of its baseline. */
  readonly x: number;
  readonly y: number;
  /** The width along its direction. */
  readonly width: number;
  /** The height of its letters. */
  readonly height: number;
  /** The direction of the text, in degrees clockwise; 0 is to the right. */
  readonly angle: number;
  /** Whether its words, which are in the order in which they are read, are displayed from right to left; undefined if that is not known. */
  readonly isRightToLeft?: boolean;
}

/** A word in the coordinate system of its direction, in points: `start` to `end` along it, `baseline` across it. */
export interface FramedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly baseline: number;
  readonly height: number;
  /** Whether a space precedes it, and how wide that is. */
  readonly spaced: boolean;
  readonly blank: number;
}

/** A direction as a unit vector on the page. */
export interface Direction {
  readonly x: number;
  readonly y: number;
}

/** Returns the direction of text at an angle (degrees, clockwise). */
export function getDirection(angle: number): Direction {
  const radians = (angle * Math.PI) / 180;
  return { x: Math.cos(radians), y: Math.sin(radians) };
}

/** Splits a run into words. A run has a single width, so the positions of its words are estimated from typical letter widths. */
export function splitRun(run: Run, direction: Direction): FramedWord[] {
  const origin = run.x * direction.x + run.y * direction.y;
  const baseline = run.y * direction.x - run.x * direction.y;
  const displayed = hasRightToLeft(run.text) ? toDisplayed(run) : run.text;
  const scale = run.width / (getWidth(displayed) || 1);
  const words: FramedWord[] = [];
  let start = origin;
  for (const [whole, blanks = "", letters = ""] of displayed.matchAll(/(\s*)(\S*)/gu)) {
    if (whole === "") break;
    const blank = getWidth(blanks) * scale;
    start += blank;
    const end = start + getWidth(letters) * scale;
    const text = withoutControls(letters);
    // A word without letters carries the space at the end of a run over to the next one.
    if (text !== "" || blanks !== "")
      words.push({ text, start, end, baseline, height: run.height, spaced: blanks !== "", blank });
    start = end;
  }
  return words;
}

/**
 * Returns the text of a run with its words in the order in which they are displayed, from left to right. The forms that Arabic letters have within
 * words become the letters.
 */
function toDisplayed({ text, isRightToLeft }: Run): string {
  const words = [...text.matchAll(/\S+/gu)].map(([word]) => ({
    text: word.replace(/[\ufb50-\ufdff\ufe70-\ufefc]/g, (form) => form.normalize("NFKC")),
  }));
  const fromRight = isRightToLeft ?? isMostlyFromRight(words);
  const [first, last] = fromRight ? [/\s$/, /^\s/] : [/^\s/, /\s$/];
  const ordered = reorder(words, fromRight).map((word) => word.text);
  return `${first.test(text) ? " " : ""}${ordered.join(" ")}${last.test(text) ? " " : ""}`;
}

/** Returns the box of a word on a page of the given size, in fractions, clipped to the page and rounded to 5 digits. */
export function toBox(word: FramedWord, direction: Direction, page: { width: number; height: number }): ReadBox {
  const across = [word.baseline - word.height * ascent, word.baseline + word.height * descent];
  const corners = [word.start, word.end].flatMap((along) =>
    across.map((down) => ({
      x: along * direction.x - down * direction.y,
      y: along * direction.y + down * direction.x,
    })),
  );
  const x = corners.map((corner) => fraction(corner.x, page.width));
  const y = corners.map((corner) => fraction(corner.y, page.height));
  const left = Math.min(...x);
  const top = Math.min(...y);
  return { x: left, y: top, width: rounded(Math.max(...x) - left), height: rounded(Math.max(...y) - top) };
}

/** The ascent and descent of letters relative to their height, as in most fonts. */
const ascent = 0.8;
const descent = 0.2;

/** Estimates the width of text in thousandths of its height, by classes of letters with Helvetica's metrics. */
function getWidth(text: string): number {
  let width = 0;
  for (const character of text) width += letterWidth(character);
  return width;
}

function letterWidth(character: string): number {
  if (/[\s.,:;!'|ijlIft()[\]/\\]/.test(character)) return 278;
  if (/[mwMW@%]/.test(character)) return 860;
  if (/[A-Z&]/.test(character)) return 690;
  return character.codePointAt(0)! > 0x2e80 ? 1000 : 540;
}

function fraction(points: number, size: number): number {
  return size > 0 ? rounded(Math.min(1, Math.max(0, points / size))) : 0;
}

function rounded(value: number): number {
  return Math.round(value * 100_000) / 100_000;
}
