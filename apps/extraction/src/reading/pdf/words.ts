import type { ReadBox } from "../reading.ts";
import { withoutControls } from "../lines.ts";

/** A piece of text as a page draws it, in points from the upper left corner of the page as it is shown. */
export interface Run {
  readonly text: string;
  /** Where its baseline begins. */
  readonly x: number;
  readonly y: number;
  /** Along the direction that it runs in. */
  readonly width: number;
  /** Of its letters. */
  readonly height: number;
  /** The direction it runs in, in degrees clockwise; 0 is to the right. */
  readonly angle: number;
}

/** A word in the frame of its direction: `start` to `end` along it, `baseline` across it; points. */
export interface FramedWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly baseline: number;
  readonly height: number;
  /** Whether a blank is drawn before it. */
  readonly spaced: boolean;
}

/** Which way a frame runs, as a unit vector on the page. */
export interface Direction {
  readonly x: number;
  readonly y: number;
}

/** The direction of text that runs at an angle (degrees, clockwise). */
export function getDirection(angle: number): Direction {
  const radians = (angle * Math.PI) / 180;
  return { x: Math.cos(radians), y: Math.sin(radians) };
}

/**
 * Splits a run into words. A run has one width only, so that a word's place in it follows from typical letter widths.
 */
export function splitRun(run: Run, direction: Direction): FramedWord[] {
  const origin = run.x * direction.x + run.y * direction.y;
  const baseline = run.y * direction.x - run.x * direction.y;
  const scale = run.width / (getWidth(run.text) || 1);
  const words: FramedWord[] = [];
  let start = origin;
  for (const [whole, blanks = "", letters = ""] of run.text.matchAll(/(\s*)(\S*)/gu)) {
    if (whole === "") break;
    start += getWidth(blanks) * scale;
    const end = start + getWidth(letters) * scale;
    const text = withoutControls(letters);
    // A word without letters carries the blank at the end of a run over to the next one.
    if (text !== "" || blanks !== "")
      words.push({ text, start, end, baseline, height: run.height, spaced: blanks !== "" });
    start = end;
  }
  return words;
}

/** The box of a word on a page of the given size, in fractions, cut to the page and to 5 digits. */
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

/** How far letters reach above and below the baseline, in parts of their height, as in most fonts. */
const ascent = 0.8;
const descent = 0.2;

/** The width of text in thousandths of its height, by classes of letters after Helvetica's metrics. */
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
