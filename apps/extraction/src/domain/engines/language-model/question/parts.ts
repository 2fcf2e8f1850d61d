import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { joined } from "../../../fold.ts";
import { printLine, type NumberedLine } from "./numbered-lines.ts";

/** A part of a document that fits into a question. */
export interface Part {
  /** Lines of earlier parts that explain this one: the heads of tables, and the last lines before it. */
  readonly before: readonly NumberedLine[];
  readonly lines: readonly NumberedLine[];
}

/** The number of lines before a part that are repeated in it. */
const REPEATED = 8;
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
    const before = start === 0 ? [] : getLinesBefore(lines, start, isHead);
    const end = findEnd(
      lines,
      sizes,
      start,
      tokens - before.reduce((sum, line) => sum + countTokens(line.text) + 1, 0),
    );
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

function getLinesBefore(
  lines: readonly NumberedLine[],
  start: number,
  isHead: (line: NumberedLine) => boolean,
): NumberedLine[] {
  const from = Math.max(0, start - REPEATED);
  const earlier = lines.slice(Math.max(0, from - MAX_HEAD_DISTANCE), from);
  const head = earlier.findLast(isHead);
  return [...(head === undefined ? [] : [head]), ...lines.slice(from, start)];
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
  return ({ text }) => {
    const letters = joined(text);
    return labels.some((of) => of.filter((some) => some.some((label) => letters.includes(label))).length > 1);
  };
}
