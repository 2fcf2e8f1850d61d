import type { Context } from "../context.ts";
import type { Field } from "../concepts.ts";
import type { LabelHit } from "../labels.ts";
import type { Row } from "../layout/layout.ts";
import type { Span } from "../layout/span.ts";
import { toAtoms, getColumns, isNumeric, toNumber, type Atom } from "./atoms.ts";
import type { Header, HeaderColumn } from "./header.ts";

/** A row of a table: the parts of each field, and the numbers of numeric fields. */
export interface Item {
  readonly pieces: Map<Field, Span[]>;
  readonly numbers: Map<Field, { value: number; span: Span }>;
}

const MAX_ROWS = 2_000;
const MAX_LINES = 12;
const TOTALS = ["gross", "net", "tax", "due", "lines", "prepaid", "cash", "change", "rounding", "total-quantity"];

interface Reading {
  readonly items: Item[];
  current: Item | undefined;
  /** Lines of text above the numbers of their row. */
  pending: { field: Field; span: Span }[];
  /** Whether descriptions are above their numbers, as on many receipts. */
  above: boolean;
  lines: number;
  attached: boolean;
}

/**
 * Finds the rows below a header. A row begins where there are numbers in its numeric columns, further lines continue its text columns, and
 * numbers that fill its empty columns on the next line still belong to it. The table ends with a line of totals, another header, or a wide
 * gap. It continues over page breaks.
 */
export function itemsBelow(
  header: Header,
  headers: readonly Header[],
  fields: readonly Field[],
  hits: readonly (readonly LabelHit[])[],
  context: Context,
): Item[] {
  const { rows } = context.layout;
  const reading: Reading = { items: [], current: undefined, pending: [], above: false, lines: 0, attached: false };
  const numeric = fields.some((field) => isNumeric(field.kind));
  let { columns } = header;
  let previous = rows[header.last];
  const shape = signature(header);
  for (let index = header.last + 1; index < rows.length && reading.items.length < MAX_ROWS; index += 1) {
    const row = rows[index];
    if (!row || !previous) break;
    const next = headers.find((each) => each.last >= index && startsAt(each, index, rows));
    if (next) {
      if (signature(next) !== shape) break;
      columns = next.columns;
      index = next.last;
      previous = rows[index];
      reading.attached = false;
      continue;
    }
    const gap = row.page !== previous.page ? 0 : getGap(previous, row);
    if (row.page !== previous.page) reading.attached = false;
    const labels = [...(context.hits[index] ?? []), ...(hits[index] ?? [])];
    if (gap > 8 || endsTable(row, context.hits[index] ?? [], context) || opensSection(row, labels, columns, context))
      break;
    const atoms = toAtoms(row, columns);
    const places = getColumns(atoms, columns, context);
    const placed = atoms.map((atom, at) => ({ atom, field: columns[places[at] ?? -1]?.field }));
    addToRow(reading, placed, gap, numeric, fields, context);
    previous = row;
  }
  return reading.items;
}

function addToRow(
  reading: Reading,
  placed: readonly { atom: Atom; field: Field | undefined }[],
  gap: number,
  numeric: boolean,
  fields: readonly Field[],
  context: Context,
): void {
  const numbers = new Map<Field, { value: number; span: Span }>();
  const texts: { field: Field; span: Span }[] = [];
  for (const { atom, field } of placed) {
    if (!field) continue;
    if (!isNumeric(field.kind)) texts.push({ field, span: atom.span });
    else {
      const number = toNumber(atom, context);
      if (number && !numbers.has(field)) numbers.set(field, number);
    }
  }
  const starts = numeric ? numbers.size > 0 : texts.some((text) => text.field === fields[0]);
  if (starts && completesRow(reading.current, numbers, gap, numeric)) {
    for (const [field, number] of numbers) reading.current?.numbers.set(field, number);
    for (const text of texts) append(reading.current, text);
    reading.lines = 0;
    return;
  }
  if (starts && startsRow(reading, numbers, placed.length, numeric, fields)) {
    if (texts.length === 0 && reading.items.length === 0 && reading.pending.length > 0) reading.above = true;
    const item: Item = { pieces: new Map(), numbers };
    if (reading.above || !hasText(texts)) for (const text of reading.pending) append(item, text);
    for (const text of texts) append(item, text);
    reading.pending = [];
    reading.items.push(item);
    reading.current = item;
    reading.lines = 0;
    reading.attached = true;
    return;
  }
  const lines = texts.filter((text) => text.field.kind === "text" || text.field.kind === "name");
  if (lines.length === 0) return;
  if (reading.current && reading.attached && !reading.above && gap < 1.6 && reading.lines < MAX_LINES) {
    for (const text of lines) append(reading.current, text);
    reading.lines += 1;
  } else if (!reading.current || reading.above) reading.pending = [...reading.pending, ...lines].slice(-3);
}

/** Whether the numbers of a line are enough for a new row: two, or the amount, or one if rows have no more. */
function startsRow(
  reading: Reading,
  numbers: ReadonlyMap<Field, unknown>,
  pieces: number,
  numeric: boolean,
  fields: readonly Field[],
): boolean {
  if (!numeric) return true;
  const significant = [...numbers.keys()].filter((field) => field.kind !== "percent");
  if (significant.length >= 2) return true;
  if (significant.length === 0) return false;
  if (fields.filter((field) => isNumeric(field.kind)).length === 1) return true;
  const full = reading.items.some((item) => item.numbers.size >= 2);
  return pieces > 1 && (!full || significant[0]?.concept?.id === "line-amount");
}

/** Whether numbers only fill the empty fields of the previous row. */
function completesRow(
  current: Item | undefined,
  numbers: ReadonlyMap<Field, unknown>,
  gap: number,
  numeric: boolean,
): boolean {
  if (!current || !numeric || gap > 1.2 || numbers.size > 1) return false;
  return [...numbers.keys()].every((field) => !current.numbers.has(field));
}

function append(item: Item | undefined, text: { field: Field; span: Span }): void {
  item?.pieces.set(text.field, [...(item.pieces.get(text.field) ?? []), text.span]);
}

function hasText(texts: readonly { field: Field }[]): boolean {
  return texts.some((text) => text.field.kind === "text");
}

/** Returns the gap between two rows, relative to the text height of the lower one; 0 without a layout. */
function getGap(upper: Row, lower: Row): number {
  if (!upper.box || !lower.box) return 0;
  const heights = lower.cells.map((cell) => (cell.box ? cell.box.y1 - cell.box.y0 : 0)).filter((height) => height > 0);
  const height = heights.length > 0 ? Math.min(...heights) : 0;
  return height > 0 ? Math.max(0, lower.box.y0 - upper.box.y1) / height : 0;
}

/** Whether a row is a line of totals: it begins with the label of a sum and contains nothing but the sum. */
function endsTable(row: Row, hits: readonly LabelHit[], context: Context): boolean {
  const hasSum = row.cells.some((cell) => context.candidates("money", cell).some((money) => money.shape > 0.4));
  return hits.some((hit) => {
    if (![...hit.meanings.keys()].some((key) => TOTALS.includes(key)) || hit.start > 0 || hit.prominence < 0.8)
      return false;
    const after = hit.cell.text
      .slice(hit.end)
      .replace(/\([^()]{0,40}\)/gu, "")
      .replace(/[^\p{L}]/gu, "");
    const alone =
      row.cells[0] === hit.cell || row.cells.slice(0, hit.cell.column).every((cell) => !/\d/u.test(cell.text));
    return alone && after.length <= 6 && (hasSum || row.cells.length === 1);
  });
}

/**
 * Whether a row begins something else: a heading with a colon at the left edge of the table, or the header of another table, which consists
 * mostly of labels.
 */
function opensSection(
  row: Row,
  hits: readonly LabelHit[],
  columns: readonly HeaderColumn[],
  context: Context,
): boolean {
  const [first] = row.cells;
  if (!first || row.cells.some((cell) => context.numbers(cell).length > 0)) return false;
  const edge = Math.min(...columns.map((column) => column.from));
  if (row.cells.length === 1 && first.text.endsWith(":") && first.box && first.box.x0 < edge + 0.01) return true;
  if (row.cells.length < 2) return false;
  const covered = new Set<string>();
  for (const hit of hits) {
    for (let at = hit.start; at < hit.end; at += 1) covered.add(`${String(hit.cell.column)}:${String(at)}`);
  }
  const letters = row.cells.reduce((sum, cell) => sum + cell.text.replace(/\s/gu, "").length, 0);
  return hits.length >= 2 && covered.size > 0.6 * letters;
}

function signature(header: Header): string {
  return header.columns
    .flatMap((column) => (column.field ? [column.field.column.slug] : []))
    .sort()
    .join(" ");
}

/** Whether a header begins at a row: its first line is this row or one of the next three on the page. */
function startsAt(header: Header, index: number, rows: readonly Row[]): boolean {
  return header.last - index <= 4 && rows[header.last]?.page === rows[index]?.page && header.first <= index;
}
