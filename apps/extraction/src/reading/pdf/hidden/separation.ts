import type { HiddenReason } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ReadHiddenText } from "../../reading.ts";
import { groupRunsIntoLines } from "../lines.ts";
import { getDirection } from "../words.ts";
import type { Run } from "../words.ts";

/** A word of a page as it is painted, and why people cannot see it. */
export interface JudgedWord extends Run {
  readonly reason: HiddenReason | undefined;
}

/** The runs of a page that people can see, and its hidden text. */
export interface SeparatedRuns {
  readonly runs: readonly Run[];
  readonly hidden: readonly ReadHiddenText[];
}

/**
 * Separates the runs of a page from its hidden words. A run that has both is replaced by its visible words. Words that are hidden where the same
 * word is visible, as in shadows of letters, are not hidden text.
 */
export function separateRuns(
  runs: readonly Run[],
  words: readonly JudgedWord[],
  page: { width: number; height: number },
): SeparatedRuns {
  const hidden = words.filter(({ reason }) => reason !== undefined);
  if (hidden.length === 0) return { runs, hidden: [] };
  const find = indexWords(words);
  const visible = runs.flatMap((run): Run[] => {
    const near = find(run);
    if (near.every(({ reason }) => reason === undefined)) return [run];
    if (near.every(({ reason }) => reason !== undefined)) return [];
    const text = fold(run.text);
    const own = near.filter((word) => text.includes(fold(word.text)) || text.includes(reverse(fold(word.text))));
    if (own.every(({ reason }) => reason === undefined)) return [run];
    return own.filter(({ reason }) => reason === undefined);
  });
  const shown = indexWords(visible);
  const apart = hidden.filter((word) => {
    const text = fold(word.text);
    return !shown(word).some((other) => fold(other.text).includes(text) && isNear(word, other));
  });
  return { runs: visible, hidden: describe(apart, page) };
}

/** Groups hidden words into lines, separately for each reason. */
function describe(words: readonly JudgedWord[], page: { width: number; height: number }): ReadHiddenText[] {
  const reasons = [...new Set(words.flatMap(({ reason }) => reason ?? []))];
  return reasons.flatMap((reason) =>
    groupRunsIntoLines(
      words.filter((word) => word.reason === reason),
      page,
    )
      // Without a letter or a digit it says nothing.
      .filter(({ text }) => /[\p{L}\p{N}]/u.test(text))
      .map(({ text, box }) => ({ text, reason, ...(box && box.width > 0 && box.height > 0 && { box }) })),
  );
}

/** Words whose baselines differ by no more are beside each other, in points. */
const bandHeight = 8;

/** Returns a function that finds the words within a run. */
function indexWords<Word extends Run>(words: readonly Word[]): (run: Run) => Word[] {
  const bands = new Map<string, Word[]>();
  for (const word of words) {
    const { angle, baseline } = frame(word);
    const key = `${angle} ${Math.floor(baseline / bandHeight)}`;
    const band = bands.get(key) ?? [];
    bands.set(key, band);
    band.push(word);
  }
  return (run) => {
    const { angle, baseline, start, end } = frame(run);
    const height = Math.max(run.height, 1);
    const band = Math.floor(baseline / bandHeight);
    return [band - 1, band, band + 1]
      .flatMap((each) => bands.get(`${angle} ${each}`) ?? [])
      .filter((word) => {
        const other = frame(word);
        const middle = (other.start + other.end) / 2;
        if (Math.abs(other.baseline - baseline) > 0.3 * height) return false;
        return (
          (middle > start - 0.3 * height && middle < end + 0.3 * height) || (start > other.start && end < other.end)
        );
      });
  };
}

/** Returns the place of a run along and across its direction, which is rounded as in lines. */
function frame({ x, y, width, angle }: Run): { angle: number; start: number; end: number; baseline: number } {
  const rounded = (((Math.round(angle / 10) * 10) % 360) + 360) % 360;
  const direction = getDirection(rounded);
  const start = x * direction.x + y * direction.y;
  return { angle: rounded, start, end: start + width, baseline: y * direction.x - x * direction.y };
}

function isNear(one: Run, other: Run): boolean {
  return Math.abs(one.y - other.y) < other.height && one.x > other.x - other.height && one.x < other.x + other.width;
}

function fold(text: string): string {
  return text.normalize("NFKC").replace(/[\s\p{C}]+/gu, "");
}

function reverse(text: string): string {
  return [...text].reverse().join("");
}
