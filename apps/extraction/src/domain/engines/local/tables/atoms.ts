import type { Context } from "../../../context.ts";
import type { Cell, Row } from "../../../layout/layout.ts";
import { getRectangle } from "../../../layout/layout.ts";
import type { Kind } from "../../../lexicon/concept.ts";
import { printed, type Span } from "../../../layout/span.ts";
import type { HeaderColumn } from "./header.ts";

/** A part of a row that belongs to one column. */
export interface Atom {
  readonly span: Span;
  readonly from: number;
  readonly to: number;
}

const NUMERIC: readonly Kind[] = ["money", "number", "percent"];
/** A numeric atom belongs to no column if it is farther from it than this fraction of the page's width. */
const FAR = 0.09;
const MAX_ATOMS = 40;

/** Whether a kind consists of digits. */
export function isNumeric(kind: Kind): boolean {
  return NUMERIC.includes(kind);
}

/** Splits a row into atoms: its cells, and for cells that extend over several columns, the numbers at their ends separately. */
export function toAtoms(row: Row, columns: readonly HeaderColumn[]): Atom[] {
  const boxed = row.cells.every((cell) => cell.box !== undefined);
  const spans = row.cells
    .slice(0, MAX_ATOMS)
    .flatMap((cell) => (needsSplit(cell, row, columns) ? split(cell) : [whole(cell)]));
  return spans.slice(0, MAX_ATOMS).map((span, place) => {
    const box = boxed ? getRectangle(span.cell, span.start, span.end) : undefined;
    return { span, from: box?.x0 ?? place / spans.length, to: box?.x1 ?? (place + 1) / spans.length };
  });
}

/**
 * Assigns a column to each atom, or -1: from left to right without crossing, with the least total distance. Atoms that are not numbers are
 * not assigned to numeric columns.
 */
export function getColumns(atoms: readonly Atom[], columns: readonly HeaderColumn[], context: Context): number[] {
  const costs = atoms.map((atom) =>
    columns.map((column) => distance(atom, column) + computeMismatch(atom, column, context)),
  );
  // best[i][j] is the least cost of the first i atoms if the last of them is assigned to column j.
  const best: number[][] = [];
  const back: number[][] = [];
  atoms.forEach((_, atom) => {
    const row: number[] = [];
    const from: number[] = [];
    columns.forEach((column, place) => {
      let least = atom === 0 ? 0 : Infinity;
      let previous = -1;
      for (let before = 0; atom > 0 && before <= place; before += 1) {
        const shared = before === place ? (column.field && isNumeric(column.field.kind) ? 0.3 : 0.015) : 0;
        const cost = (best[atom - 1]?.[before] ?? Infinity) + shared;
        if (cost < least) {
          least = cost;
          previous = before;
        }
      }
      row.push(least + (costs[atom]?.[place] ?? Infinity));
      from.push(previous);
    });
    best.push(row);
    back.push(from);
  });
  const result = atoms.map(() => -1);
  const final = best.at(-1) ?? [];
  let place = final.indexOf(Math.min(...final));
  for (let atom = atoms.length - 1; atom >= 0 && place >= 0; atom -= 1) {
    const column = columns[place];
    const placed = atoms[atom];
    const tooFar = column?.field && placed && isNumeric(column.field.kind) && distance(placed, column) > FAR;
    result[atom] = tooFar ? -1 : place;
    place = back[atom]?.[place] ?? -1;
  }
  return result;
}

/** Returns the number of an atom that is little more than a number, with a currency, a unit or a percent sign at most. */
export function toNumber(atom: Atom, context: Context): { value: number; span: Span } | undefined {
  const { cell, start, end } = atom.span;
  const inside = context.numbers(cell).filter((number) => number.spans[0].start >= start && number.spans[0].end <= end);
  const [number] = inside;
  if (!number || inside.length > 2) return undefined;
  const span = number.spans[0];
  const before = cell.text.slice(start, span.start).replace(/[^\p{L}\d]/gu, "");
  const after = cell.text.slice(span.end, end).replace(/[^\p{L}\d]/gu, "");
  return before.length <= 4 && !/\d/u.test(before) && after.length <= 10 ? { value: number.value, span } : undefined;
}

function distance(atom: Atom, column: HeaderColumn): number {
  const gap = Math.max(0, Math.max(atom.from, column.from) - Math.min(atom.to, column.to));
  const edges = Math.min(
    Math.abs(atom.from - column.from),
    Math.abs(atom.to - column.to),
    Math.abs(atom.from + atom.to - column.from - column.to) / 2,
  );
  return gap + 0.35 * edges;
}

function computeMismatch(atom: Atom, column: HeaderColumn, context: Context): number {
  const kind = column.field?.kind;
  const number = toNumber(atom, context);
  if (kind && isNumeric(kind)) {
    if (!number) return 0.6;
    const percent = /^\s?%/u.test(atom.span.cell.text.slice(number.span.end));
    if (kind === "percent") return percent ? 0 : 0.03;
    return percent ? 0.25 : 0;
  }
  if (kind === "date") return context.candidates("date", atom.span.cell).length > 0 ? 0 : 0.3;
  if (column.field?.concept?.id === "line-description" && number && !/\p{L}{2}/u.test(printed(atom.span))) return 0.08;
  return 0;
}

function needsSplit(cell: Cell, row: Row, columns: readonly HeaderColumn[]): boolean {
  if (!/\s/u.test(cell.text)) return false;
  if (!cell.box) return row.cells.length < Math.min(3, columns.length);
  const { x0, x1 } = cell.box;
  return (
    columns.filter((column) => (column.from + column.to) / 2 > x0 && (column.from + column.to) / 2 < x1).length > 1
  );
}

/** Splits off each number at the beginning and at the end of a cell, and keeps the words between them together. */
function split(cell: Cell): Span[] {
  const words = [...cell.text.matchAll(/\S+/gu)].map((match) => ({
    cell,
    start: match.index,
    end: match.index + match[0].length,
  }));
  const numeric = (span: Span | undefined): boolean =>
    span !== undefined && /^[-−(]?\p{Sc}?\d[\d.,'’]*\)?(?:%|\p{Sc})?$/u.test(printed(span));
  let first = 0;
  while (first < words.length && numeric(words[first]) && first < 2) first += 1;
  let last = words.length;
  while (
    last > first &&
    (numeric(words[last - 1]) || /^(?:%|\p{Sc}|[A-Z]{3})$/u.test(printed(words[last - 1] as Span)))
  )
    last -= 1;
  const middle = words.slice(first, last);
  const tail: Span[] = [];
  for (const word of words.slice(last)) {
    const previous = tail.at(-1);
    // A currency symbol or percent sign belongs to the number before it.
    if (!numeric(word) && previous) tail[tail.length - 1] = { cell, start: previous.start, end: word.end };
    else tail.push(word);
  }
  const text = middle[0] ? [{ cell, start: middle[0].start, end: (middle.at(-1) as Span).end }] : [];
  return [...words.slice(0, first), ...text, ...tail];
}

function whole(cell: Cell): Span {
  return { cell, start: 0, end: cell.text.length };
}
