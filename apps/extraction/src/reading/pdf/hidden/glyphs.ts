import { compose, transform } from "./geometry.ts";
import type { Point } from "./geometry.ts";
import type { Cursor, State } from "./state.ts";
import type { Run } from "../words.ts";
import { hasRightToLeft } from "../writing-direction.ts";

/** A glyph of pdf.js; a number is a gap in thousandths of the font's size, to the left. */
export type Glyph =
  { readonly unicode?: string; readonly width?: number; readonly isSpace?: boolean } | number | null | undefined;

/** Gaps of more than this, in thousandths of the font's size, separate words, as in lines. */
const wideGap = 200;

/** Returns the words that glyphs show, and moves the cursor behind them. `fontScale` is the length of a unit of the font. */
export function showGlyphs(state: State, cursor: Cursor, glyphs: readonly Glyph[], fontScale: number): Run[] {
  const matrix = compose(state.matrix, cursor.matrix);
  const size = Math.abs(state.size);
  const direction = state.size < 0 ? -state.scale : state.scale;
  // Letters that are squeezed to nothing are as small as those without a height.
  const squeezed = Math.abs(state.scale) < 0.05 ? Math.abs(state.scale) : 1;
  const height = Math.hypot(matrix[2], matrix[3]) * size * squeezed;
  const at = (offset: number): Point => transform(matrix, cursor.x + offset * direction, cursor.y + state.rise);
  const words: Run[] = [];
  let [offset, start, end] = [0, 0, 0];
  let letters: string[] = [];
  function finish(): void {
    if (letters.length > 0) words.push(toRun(toWord(letters), at(start), at(end), height));
    letters = [];
  }
  for (const glyph of glyphs) {
    if (typeof glyph === "number") {
      offset -= (glyph * size) / 1_000;
      if (Math.abs(glyph) > wideGap) finish();
    } else if (glyph) {
      const { unicode = "", width = 0, isSpace = false } = glyph;
      if (unicode.trim() === "") finish();
      else {
        if (letters.length === 0) start = offset;
        letters.push(unicode);
        end = offset + width * size * fontScale;
      }
      offset += width * size * fontScale + state.characterSpacing + (isSpace ? state.wordSpacing : 0);
    }
  }
  finish();
  cursor.x += offset * direction;
  return words;
}

/** What is written from left to right within a word of another direction: numbers and Latin letters. */
const leftToRight = /[\p{N}\p{Script=Latin}](?:[\p{N}\p{Script=Latin}.,:/-]*[\p{N}\p{Script=Latin}])?/gu;

/** Joins the letters of a word, which are painted from left to right in every script. */
function toWord(letters: readonly string[]): string {
  const word = letters.join("");
  if (!hasRightToLeft(word)) return word;
  return letters
    .toReversed()
    .join("")
    .replace(leftToRight, (part) => [...part].reverse().join(""));
}

function toRun(text: string, from: Point, to: Point, height: number): Run {
  const [x, y] = [to.x - from.x, to.y - from.y];
  return { text, ...from, width: Math.hypot(x, y), height, angle: (Math.atan2(y, x) * 180) / Math.PI };
}
