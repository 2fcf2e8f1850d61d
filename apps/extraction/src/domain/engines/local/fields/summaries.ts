import type { Candidate } from "../../../candidates/candidate.ts";
import type { Context } from "../../../context.ts";
import type { LabelHit } from "../../../labels.ts";
import { getRectangle, type Cell, type Row } from "../../../layout/layout.ts";
import type { Rectangle } from "../../../layout/rectangle.ts";
import type { Span } from "../../../layout/span.ts";
import type { Scored } from "./scoring.ts";

/** Sums in a table of sums, such as one with a row for each tax rate. */
export interface Summaries {
  /** The sums of the whole document, by the concept of their column. */
  readonly totals: ReadonlyMap<string, readonly Scored[]>;
  /** The cells of sums for only one rate, which are not sums of the document. */
  readonly partial: ReadonlySet<Cell>;
}

const ROLES = ["net", "tax", "gross"];
const HEADINGS = [...ROLES, "tax-basis", "tax-rate", "lines", "charges", "shipping", "discount"];
const MAX_ROWS = 14;
const CENT = 0.016;

interface Heading {
  readonly role: string;
  readonly weight: number;
  readonly box: Rectangle;
}

/**
 * Finds tables of sums: a line of labels of sums above lines of amounts. If the last line is the sum of those above it, it has the sums of
 * the document; otherwise, several lines are added up.
 */
export function findSummaries(context: Context): Summaries {
  const totals = new Map<string, Scored[]>();
  const partial = new Set<Cell>();
  context.layout.rows.forEach((row, index) => {
    const headings = getHeadings(row, context.hits[index] ?? [], context);
    if (headings.length < 2) return;
    const lines = linesBelow(index, headings, context);
    const last = lines.at(-1);
    if (!last) return;
    const above = lines.slice(0, -1);
    const isTotal = above.length > 0 && addsUp(above, last, headings);
    for (const [place, { role, weight }] of headings.entries()) {
      const name = role === "tax-basis" ? "net" : role;
      if (!ROLES.includes(name)) continue;
      const column = lines.flatMap((line) => line.get(place) ?? []);
      const parts = above.flatMap((line) => line.get(place) ?? []);
      const base = role === "tax-basis" ? 0.6 : 0.85;
      let total: Candidate | undefined;
      if (isTotal || lines.length === 1) total = last.get(place);
      else total = added(column);
      if (!total) continue;
      const score = weight * (isTotal ? base + 0.1 : lines.length === 1 ? base - 0.1 : base - 0.25);
      totals.set(name, [...(totals.get(name) ?? []), { candidate: total, score }]);
      for (const part of isTotal ? parts : lines.length > 1 ? column : []) partial.add(part.spans[0].cell);
    }
  });
  return { totals, partial };
}

/** Returns the sum of several amounts as a candidate in all their places; undefined for a single amount. */
export function added(parts: readonly Candidate[]): Candidate | undefined {
  if (parts.length < 2) return undefined;
  const [first, ...rest] = parts.flatMap((part) => part.spans) as [Span, ...Span[]];
  const sum = parts.reduce((value, part) => value + Number(part.value), 0);
  return { spans: [first, ...rest], value: Math.round(sum * 100) / 100, shape: 0.8 };
}

function getHeadings(row: Row, hits: readonly LabelHit[], context: Context): Heading[] {
  if (hits.length < 2 || row.cells.some((cell) => context.numbers(cell).some((number) => number.decimals === 2)))
    return [];
  const headings: Heading[] = [];
  for (const hit of hits) {
    const box = getRectangle(hit.cell, hit.start, hit.end);
    const meaning = [...hit.meanings]
      .filter(([key]) => HEADINGS.includes(key))
      .sort((one, other) => other[1] - one[1])[0];
    if (box && meaning) headings.push({ role: meaning[0], weight: meaning[1], box });
  }
  return headings.some((heading) => ROLES.includes(heading.role)) ? headings : [];
}

/** Returns the amounts of each line below, by the place of their heading. */
function linesBelow(index: number, headings: readonly Heading[], context: Context): Map<number, Candidate>[] {
  const { rows } = context.layout;
  const lines: Map<number, Candidate>[] = [];
  let previous = rows[index];
  for (let at = index + 1; at <= index + MAX_ROWS; at += 1) {
    const row = rows[at];
    if (!row?.box || !previous?.box || row.page !== previous.page) break;
    const height = previous.box.y1 - previous.box.y0;
    if (row.box.y0 - previous.box.y1 > 3 * Math.max(height, context.layout.height)) break;
    const line = alignedAmounts(row, headings, context);
    // A label in front of a line of its own amount ends the table: "Total 119.00".
    if (line.size < 2) {
      if (lines.length > 0 && row.cells.some((cell) => context.candidates("money", cell).length > 0)) break;
      previous = row;
      continue;
    }
    lines.push(line);
    previous = row;
  }
  return lines;
}

function alignedAmounts(row: Row, headings: readonly Heading[], context: Context): Map<number, Candidate> {
  const line = new Map<number, Candidate>();
  for (const cell of row.cells) {
    for (const candidate of context.candidates("money", cell)) {
      const span = candidate.spans[0];
      const box = getRectangle(cell, span.start, span.end);
      if (!box || candidate.shape < 0.6) continue;
      const distances = headings.map(({ box: heading }) => distance(heading, box));
      const place = distances.indexOf(Math.min(...distances));
      if ((distances[place] ?? 1) < 0.07 && !line.has(place)) line.set(place, candidate);
    }
  }
  return line;
}

function distance(heading: Rectangle, amount: Rectangle): number {
  const gap = Math.max(0, heading.x0 - amount.x1, amount.x0 - heading.x1);
  const edges = Math.min(
    Math.abs(heading.x1 - amount.x1),
    Math.abs(heading.x0 + heading.x1 - amount.x0 - amount.x1) / 2,
  );
  return gap + 0.3 * edges;
}

/** Whether each amount of the last line is the sum of those above it, and at least one is the sum of two. */
function addsUp(
  above: readonly ReadonlyMap<number, Candidate>[],
  last: ReadonlyMap<number, Candidate>,
  headings: readonly Heading[],
): boolean {
  let sums = 0;
  for (const [place, total] of last) {
    if (headings[place]?.role === "tax-rate") continue;
    const parts = above.flatMap((line) => line.get(place) ?? []);
    if (parts.length === 0) continue;
    const sum = parts.reduce((value, part) => value + Number(part.value), 0);
    if (Math.abs(sum - Number(total.value)) > CENT) return false;
    sums += 1;
  }
  return sums >= 2 || (sums === 1 && above.length > 1);
}
