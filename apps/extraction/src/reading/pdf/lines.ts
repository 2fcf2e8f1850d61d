import { toLine } from "../lines.ts";
import type { PlacedWord } from "../lines.ts";
import { toBox, getDirection, splitRun } from "./words.ts";
import { hasRightToLeft, isMostlyFromRight, isReadFromRight, isRowFromRight, reorder } from "./writing-direction.ts";
import type { Direction, FramedWord, Run } from "./words.ts";
import type { ReadLine } from "../reading.ts";

/**
 * Groups the runs of a page (sizes in points) into lines from top to bottom. Words whose baselines differ by less than 0.45 of their
 * height share a line; a gap of more than 0.2 of the height separates words, one of more than 1.2 becomes a tab. Text that runs another
 * way (sideways, slanted) is grouped along its own direction and follows after the text of the direction that most letters have. The words of a line
 * are in the order in which they are read, which is from right to left in some scripts.
 */
export function groupRunsIntoLines(runs: readonly Run[], page: { width: number; height: number }): ReadLine[] {
  const frames = new Map<number, { words: FramedWord[]; letters: number; direction: Direction }>();
  for (const run of runs) {
    // Angles are rounded to 10 degrees, because pages are often scanned slightly askew.
    const angle = (((Math.round(run.angle / 10) * 10) % 360) + 360) % 360;
    const frame = frames.get(angle) ?? { words: [], letters: 0, direction: getDirection(angle) };
    frames.set(angle, frame);
    // A run may have more words than a call may have arguments.
    for (const word of splitRun(run, frame.direction)) frame.words.push(word);
    frame.letters += run.text.length;
  }
  const ordered = [...frames.values()].sort((a, b) => b.letters - a.letters);
  return ordered.flatMap(({ words, direction }) => {
    const isMixed = words.some(({ text }) => hasRightToLeft(text));
    const order = isMixed ? createOrder(words) : (line: readonly JoinedWord[]) => line;
    return groupRows(isMixed ? words.map(centerSpace) : words).map((row) =>
      toLine(order(joined(row)).map((word) => placed(word, direction, page))),
    );
  });
}

/** Puts a space without a word where its middle is. Words that are written from right to left often begin a little before the end of the space. */
function centerSpace(word: FramedWord): FramedWord {
  return word.text === "" ? { ...word, start: word.start - word.blank / 2 } : word;
}

/**
 * Creates the function that puts the words of a line into the order in which they are read, on a page with text that is written from right to left.
 * What is between wide gaps, such as the cells of a table, stays together.
 */
function createOrder(page: readonly FramedWord[]): (line: readonly JoinedWord[]) => JoinedWord[] {
  const isPageFromRight = isMostlyFromRight(page);
  return (line) => {
    const cells: JoinedWord[][] = [];
    for (const word of line) {
      if (word.before === "\t" || cells.length === 0) cells.push([word]);
      else cells.at(-1)!.push(word);
    }
    const fromRight = isPageFromRight ? isRowFromRight(cells) : isReadFromRight(line, false);
    return (fromRight ? cells.reverse() : cells).flatMap((cell, index) =>
      reorder(cell, isReadFromRight(cell, fromRight)).map((word, at): JoinedWord => {
        return { ...word, before: at > 0 ? " " : index > 0 ? "\t" : "" };
      }),
    );
  };
}

/** A word that was joined with its neighbors, with what precedes it. */
interface JoinedWord extends FramedWord {
  readonly before: PlacedWord["before"];
  /** Whether its parts are read from right to left. */
  readonly isFromRight: boolean;
}

/** Groups words with the same baseline into rows from top to bottom, each from start to end. */
function groupRows(words: readonly FramedWord[]): FramedWord[][] {
  // Tall words come first, so that a small raised number joins their line and does not start its own.
  const byHeight = words
    .filter((word) => word.text !== "" || word.spaced)
    .sort((a, b) => Math.round(b.height) - Math.round(a.height) || a.baseline - b.baseline || a.start - b.start);
  const rows: { baseline: number; height: number; words: FramedWord[] }[] = [];
  for (const word of byHeight) {
    const index = nearest(rows, word.baseline);
    const row = rows[index];
    if (row !== undefined && Math.abs(row.baseline - word.baseline) < (0.45 * (row.height + word.height)) / 2) {
      row.words.push(word);
    } else if (word.text !== "") {
      const after = row !== undefined && row.baseline <= word.baseline ? index + 1 : index;
      rows.splice(Math.max(0, after), 0, { baseline: word.baseline, height: word.height, words: [word] });
    }
  }
  return rows.map((row) => row.words.sort((a, b) => a.start - b.start));
}

/** Returns the index of the row with the nearest baseline, in rows sorted by baseline; -1 for none. */
function nearest(rows: readonly { baseline: number }[], baseline: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rows[middle]!.baseline < baseline) low = middle + 1;
    else high = middle;
  }
  const above = rows[low - 1];
  const below = rows[low];
  if (above === undefined || below === undefined) return below === undefined ? low - 1 : low;
  return baseline - above.baseline <= below.baseline - baseline ? low - 1 : low;
}

/** Joins the parts of words and determines what separates words. Text that is drawn twice in one place, to look bold, is used once. */
function joined(row: readonly FramedWord[]): JoinedWord[] {
  const words: JoinedWord[] = [];
  let blank = false;
  for (const word of row) {
    const last = words.at(-1);
    blank ||= word.spaced;
    if (word.text === "") continue;
    const isFromRight = hasRightToLeft(word.text);
    if (last === undefined) {
      words.push({ ...word, before: "", isFromRight });
    } else if (last.text === word.text && Math.abs(word.start - last.start) < 0.15 * word.height) {
      // Drawn twice.
    } else {
      const before = separator(word.start - last.end, (last.height + word.height) / 2, blank);
      if (before !== "") words.push({ ...word, before, isFromRight });
      else {
        const end = Math.max(last.end, word.end);
        words[words.length - 1] = {
          ...last,
          text: isFromRight || last.isFromRight ? word.text + last.text : last.text + word.text,
          isFromRight: isFromRight || last.isFromRight,
          end,
          height: Math.max(last.height, word.height),
        };
      }
    }
    blank = false;
  }
  return words;
}

function separator(gap: number, height: number, blank: boolean): PlacedWord["before"] {
  if (gap > 1.2 * height) return "\t";
  // A word that begins well inside the previous one is a different word, printed over it.
  return blank || gap > 0.2 * height || gap < -0.4 * height ? " " : "";
}

function placed(word: JoinedWord, direction: Direction, page: { width: number; height: number }): PlacedWord {
  return { text: word.text, before: word.before, box: toBox(word, direction, page) };
}
