import type { Budget } from "./limits.ts";
import type { ReadBox, ReadLine } from "./reading.ts";

/** A word of a line with what precedes it: nothing, a space, or a wide gap. */
export interface PlacedWord {
  readonly text: string;
  readonly before: "" | " " | "\t";
  readonly box?: ReadBox;
  readonly confidence?: number;
}

/** Creates a line from words. What precedes the first word is left out. */
export function toLine(placed: readonly PlacedWord[]): ReadLine {
  let text = "";
  const words = placed.map((word, index) => {
    if (index > 0) text += word.before;
    const offset = text.length;
    text += word.text;
    const { box, confidence } = word;
    return { text: word.text, offset, ...(box && { box }), ...(confidence !== undefined && { confidence }) };
  });
  const boxes = words.flatMap((word) => word.box ?? []);
  return { text, words, ...(boxes.length > 0 && { box: uniteBoxes(boxes) }) };
}

/** Returns the smallest box around boxes; an empty one for none. */
function uniteBoxes(boxes: readonly ReadBox[]): ReadBox {
  if (boxes.length === 0) return { x: 0, y: 0, width: 0, height: 0 };
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  // A line may have more words than a function may have arguments.
  for (const { x, y, width, height } of boxes) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/**
 * Splits a text without a layout into lines, without empty ones. A tab, or three or more spaces, becomes a tab, and fewer spaces become
 * one. Lines are created lazily, so that a reader can stop.
 */
export function* splitLines(text: string): Generator<ReadLine> {
  // Lines are split after 100,000 characters, because a line may be a whole large file.
  for (const [raw] of text.matchAll(/[^\n\r\v\u0085\u2028\u2029]{1,100000}/g)) {
    const words: PlacedWord[] = [];
    let end = 0;
    for (const match of raw.matchAll(/\S+/gu)) {
      const gap = raw.slice(end, match.index);
      end = match.index + match[0].length;
      words.push({ text: withoutControls(match[0]), before: isWide(gap) ? "\t" : " " });
    }
    const visible = words.filter((word) => word.text !== "");
    if (visible.length > 0) yield toLine(visible);
  }
}

/**
 * Removes control characters, soft hyphens and zero-width characters: joiners, directions, invisible operators, tags and the selectors beyond the
 * basic plane, with which text can be written invisibly.
 */
export function withoutControls(text: string): string {
  return text.replace(unseen, "");
}

const unseen =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufffe\uffff\u{e0000}-\u{e0fff}]/gu;

/** Takes the lines that the budget allows, each including its newline. The last one may be truncated after a word. */
export function takeLines(lines: Iterable<ReadLine>, budget: Budget): ReadLine[] {
  const taken: ReadLine[] = [];
  for (const line of lines) {
    if (!budget.takeLine()) break;
    const allowed = budget.takeCharacters(line.text.length + 1);
    if (allowed >= line.text.length) {
      taken.push(line);
      continue;
    }
    const words = line.words.filter((word) => word.offset + word.text.length <= allowed);
    const last = words.at(-1);
    const boxes = words.flatMap((word) => word.box ?? []);
    if (last !== undefined) {
      const text = line.text.slice(0, last.offset + last.text.length);
      taken.push({ text, words, ...(boxes.length > 0 && { box: uniteBoxes(boxes) }) });
    }
    break;
  }
  return taken;
}

function isWide(gap: string): boolean {
  return gap.includes("\t") || gap.length >= 3;
}
