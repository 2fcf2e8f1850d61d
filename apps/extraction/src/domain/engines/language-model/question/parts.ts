import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { joined } from "../../../fold.ts";
import { printLine, type NumberedLine } from "./numbered-lines.ts";

/** A part of a document that fits into a question. */
export interface Part {
  /** Lines of earlier parts that explain this one: the heads of tables, and the last lines before it. */
  readonly before: readonly NumberedLine[];
  readonly lines: readonly NumberedLine[];
}

/** The maximum number of lines before a part that are repeated in it. */
const REPEATED = 8;
/** The maximum share of the tokens of a part for lines of earlier parts. More would leave no room for its own lines. */
const REPEATED_SHARE = 1 / 3;
/** The number of lines before a part among which the head of a table is looked for. */
const MAX_HEAD_DISTANCE = 2_000;

/**
 * Estimates the number of tokens of a text, erring on the high side: a token has about four bytes of English, and three or fewer of
 * numbers and other languages.
 */
export function countTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/**
 * Cuts a document into parts of at most `tokens` each, at the end of a page if at least half of a part is filled by then. A line that is longer
 * is a part of its own. A document without lines has one part without lines.
 */
export function cutIntoParts(
  lines: readonly NumberedLine[],
  configuration: Configuration,
  tokens: number,
): [Part, ...Part[]] {
  const isHead = createHeadTest(configuration);
  const sizes = lines.map((line) => countTokens(printLine(line)) + 1);
  const parts: Part[] = [];
  let start = 0;
  while (start < lines.length) {
    const before = start === 0 ? [] : getLinesBefore(lines, sizes, start, isHead, REPEATED_SHARE * tokens);
    const end = findEnd(lines, sizes, start, tokens - sumSizes(before, sizes));
    parts.push({ before, lines: lines.slice(start, end) });
    start = end;
  }
  const [first = { before: [], lines: [] }, ...others] = parts;
  return [first, ...others];
}

function findEnd(lines: readonly NumberedLine[], sizes: readonly number[], start: number, tokens: number): number {
  let size = 0;
  let end = start;
  let pageEnd = start;
  while (end < lines.length && (end === start || size + (sizes[end] as number) <= tokens)) {
    size += sizes[end] as number;
    end += 1;
    if (lines[end]?.page !== lines[end - 1]?.page && size >= tokens / 2) pageEnd = end;
  }
  return end < lines.length && pageEnd > start ? pageEnd : end;
}

/** Returns the head of the table that a part continues, and the last lines before the part, if there is room for them. */
function getLinesBefore(
  lines: readonly NumberedLine[],
  sizes: readonly number[],
  start: number,
  isHead: (line: NumberedLine) => boolean,
  tokens: number,
): NumberedLine[] {
  const from = Math.max(0, start - REPEATED);
  const earlier = lines.slice(Math.max(0, from - MAX_HEAD_DISTANCE), from);
  const head = earlier.findLast(isHead);
  const heads = head === undefined || sumSizes([head], sizes) > tokens ? [] : [head];
  let first = start;
  let left = tokens - sumSizes(heads, sizes);
  while (first > from && (sizes[first - 1] as number) <= left) {
    first -= 1;
    left -= sizes[first] as number;
  }
  return [...heads, ...lines.slice(first, start)];
}

function sumSizes(lines: readonly NumberedLine[], sizes: readonly number[]): number {
  return lines.reduce((sum, { number }) => sum + (sizes[number - 1] as number), 0);
}

/** Creates the test whether a line is the head of a table: it contains the labels of two or more columns of a table that is not primary. */
function createHeadTest({ tables, columns }: Configuration): (line: NumberedLine) => boolean {
  const labels = tables
    .filter(({ isPrimary }) => !isPrimary)
    .map(({ id }) =>
      columns
        .filter(({ tableId }) => tableId === id)
        .map(({ name, slug, synonyms }) => [name, slug, ...synonyms].map(joined).filter((label) => label.length > 2)),
    );
  // Parts of a few lines look for the head among the same lines.
  const known = new Map<NumberedLine, boolean>();
  const isHead = ({ text }: NumberedLine): boolean => {
    const letters = joined(text);
    return labels.some((of) => of.filter((some) => some.some((label) => letters.includes(label))).length > 1);
  };
  return (line) => {
    const found = known.get(line) ?? isHead(line);
    known.set(line, found);
    return found;
  };
}
