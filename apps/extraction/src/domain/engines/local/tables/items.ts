import type { Field } from "../../../concepts.ts";
import type { Row } from "../../../layout/layout.ts";
import { printed, type Span } from "../../../layout/span.ts";
import { isNumeric, type Atom } from "./atoms.ts";

/** A number of a row, and where it is. */
export interface Place {
  readonly value: number;
  readonly span: Span;
}

/** A row of a table: the parts of each field, and the numbers of numeric fields. */
export interface Item {
  readonly pieces: Map<Field, Span[]>;
  readonly numbers: Map<Field, Place>;
  /** The numbers of concepts that no column asked for, by concept. */
  readonly others: Map<string, number>;
  /** The line that the row begins with. */
  readonly line: Row;
}

/** The parts of a line that belong to fields. */
export interface RowParts {
  readonly numbers: Map<Field, Place>;
  readonly others: Map<string, number>;
  readonly texts: readonly { field: Field; span: Span }[];
  /** The number of all parts of the line. */
  readonly count: number;
}

/** The rows that were read so far. */
export interface Reading {
  readonly items: Item[];
  current: Item | undefined;
  /** Lines of text above the numbers of their row. */
  pending: { field: Field; span: Span }[];
  /** Whether descriptions are above their numbers, as on many receipts. */
  above: boolean;
  /** Whether the amounts of rows are on their second line. */
  split: boolean;
  lines: number;
  attached: boolean;
}

const MAX_LINES = 12;
/** A second line with numbers is at most this far below the first. */
const NEAR = 1.2;

/** Sorts the parts of a line by what they give: numbers, numbers that nobody asked for, and texts. */
export function toRowParts(
  placed: readonly { atom: Atom; field: Field | undefined }[],
  getNumber: (atom: Atom) => Place | undefined,
): RowParts {
  const numbers = new Map<Field, Place>();
  const others = new Map<string, number>();
  const texts: { field: Field; span: Span }[] = [];
  for (const { atom, field } of placed) {
    if (!field) continue;
    const other = field.column.tableId === "~" ? field.concept?.id : undefined;
    if (other === "line-number") {
      const position = positionIn(atom.span);
      if (position !== undefined) others.set(other, position);
    } else if (isNumeric(field.kind)) {
      const number = getNumber(atom);
      if (number && other !== undefined) others.set(other, number.value);
      else if (number && !numbers.has(field)) numbers.set(field, number);
    } else texts.push({ field, span: atom.span });
  }
  return { numbers, others, texts, count: placed.length };
}

/** Returns the number at the beginning of a position such as "3." or "00010". */
export function positionIn(span: Span): number | undefined {
  const digits = /^\D{0,2}(\d{1,6})(?![\d.,/-]\d|\p{L})/u.exec(printed(span))?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** Adds a line to the rows: it begins a row, completes the last one, continues its text, or is a text above the next one. */
export function addToRows(
  reading: Reading,
  { numbers, others, texts, count }: RowParts,
  gap: number,
  numeric: boolean,
  fields: readonly Field[],
  line: Row,
): void {
  const starts = numeric ? numbers.size > 0 : texts.some((text) => text.field === fields[0]);
  if (starts && completesRow(reading, numbers, others, gap, numeric)) {
    for (const [field, number] of numbers) reading.current?.numbers.set(field, number);
    for (const [concept, value] of others) reading.current?.others.set(concept, value);
    for (const text of texts) append(reading.current, text);
    if (numbers.size > 1) reading.split = true;
    reading.lines = 0;
    return;
  }
  if (starts && startsRow(reading, numbers, others, texts, count, numeric, fields)) {
    if (texts.length === 0 && reading.items.length === 0 && reading.pending.length > 0) reading.above = true;
    const item: Item = { pieces: new Map(), numbers, others, line };
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
  others: ReadonlyMap<string, number>,
  texts: readonly { field: Field }[],
  count: number,
  numeric: boolean,
  fields: readonly Field[],
): boolean {
  if (!numeric) return true;
  const significant = [...numbers.keys()].filter((field) => field.kind !== "percent");
  if (significant.length >= 2) return true;
  if (significant.length === 0) return false;
  if (fields.filter((field) => isNumeric(field.kind)).length === 1) return true;
  const full = reading.items.some((item) => item.numbers.size >= 2);
  const opens = !full || significant[0]?.concept?.id === "line-amount";
  const isSplit = reading.split && (others.has("line-number") || hasText(texts)) && isFull(reading.current);
  return count > 1 && (opens || isSplit);
}

/**
 * Whether numbers only fill the empty fields of the previous row: a single one, or those up to the amount, which it lacks. A line with a
 * position begins a row.
 */
function completesRow(
  { current, items, split }: Reading,
  numbers: ReadonlyMap<Field, unknown>,
  others: ReadonlyMap<string, number>,
  gap: number,
  numeric: boolean,
): boolean {
  if (!current || !numeric || gap > NEAR) return false;
  if (![...numbers.keys()].every((field) => !current.numbers.has(field))) return false;
  if (numbers.size <= 1) return true;
  const hasAmount = [...numbers.keys()].some((field) => field.concept?.id === "line-amount");
  return hasAmount && !others.has("line-number") && (split || items.length === 1);
}

function isFull(item: Item | undefined): boolean {
  return item !== undefined && [...item.numbers.keys()].some((field) => field.concept?.id === "line-amount");
}

function append(item: Item | undefined, text: { field: Field; span: Span }): void {
  item?.pieces.set(text.field, [...(item.pieces.get(text.field) ?? []), text.span]);
}

function hasText(texts: readonly { field: Field }[]): boolean {
  return texts.some((text) => text.field.kind === "text");
}
