import type { Context } from "../../../context.ts";
import type { Field } from "../../../concepts.ts";
import type { LabelHit } from "../../../labels.ts";
import type { Row } from "../../../layout/layout.ts";
import type { Span } from "../../../layout/span.ts";
import { printed } from "../../../layout/span.ts";
import { toAtoms, getColumns, isNumeric, toNumber, type Atom } from "./atoms.ts";
import type { Header } from "./header.ts";
import { addToRows, toRowParts, type Item, type Reading, type RowParts } from "./items.ts";
import { getLineKind, isAdjustment } from "./lines.ts";

export type { Item } from "./items.ts";

/** The rows of a table, and lines that look like rows but were not taken. */
export interface Body {
  readonly items: readonly Item[];
  readonly leftOut: readonly Row[];
}

const MAX_ROWS = 2_000;
/** A wider gap than this many lines ends the part of a table on a page. */
const WIDE = 8;

/** How the lines below are read: as rows, as rows only if they are about as complete or just as complete as others, or not at all. */
type Mode = "open" | "similar" | "complete" | "closed";

/**
 * Finds the rows below a header. A row begins where there are numbers in its numeric columns, further lines continue its text columns, and
 * numbers that fill its empty columns on the next line still belong to it. Amounts that are carried between pages are not rows. After a
 * subtotal, and on later pages without a header, only lines that are as complete as the other rows are rows. The table ends with a total;
 * another header, a heading or a wide gap end its part on the page. A repeated header continues it, unless the rows there are only a copy.
 */
export function itemsBelow(
  header: Header,
  headers: readonly Header[],
  fields: readonly Field[],
  hits: readonly (readonly LabelHit[])[],
  context: Context,
): Body {
  const { rows } = context.layout;
  const shape = signature(header);
  const numeric = fields.some((field) => isNumeric(field.kind));
  const leftOut: Row[] = [];
  let reading = newReading();
  let usual = followRows(reading);
  let before: Item[] = [];
  let { columns } = header;
  let previous = rows[header.last];
  let mode: Mode = "open";
  let isFinished = false;
  const last = Math.max(header.last, ...headers.filter((each) => signature(each) === shape).map((each) => each.last));
  for (let index = header.last + 1; index < rows.length && reading.items.length < MAX_ROWS; index += 1) {
    const row = rows[index];
    if (!row || !previous || (isFinished && index > last)) break;
    const next = headers.find((each) => each.last >= index && startsAt(each, index, rows));
    if (next) {
      // A header without rows is read again from the next one.
      if (reading.items.length === 0 && before.length === 0) break;
      const isSame = signature(next) === shape;
      if (isSame && isFinished) {
        before = withoutCopy(before, reading.items);
        reading = newReading();
        usual = followRows(reading);
        isFinished = false;
      }
      if (isSame) columns = next.columns;
      mode = isSame ? "open" : "closed";
      index = Math.max(index, next.last);
      previous = rows[index];
      reading.attached = false;
      continue;
    }
    const isNewPage = row.page !== previous.page;
    const gap = isNewPage ? 0 : getGap(previous, row);
    if (isNewPage) {
      reading.attached = false;
      if (!isFinished && (mode === "closed" || numeric)) mode = reading.items.length > 0 ? "similar" : mode;
    } else if (gap > WIDE && mode === "open") {
      mode = "closed";
      reading.attached = false;
    }
    previous = row;
    if (isFinished) continue;
    const own = context.hits[index] ?? [];
    const kind = getLineKind(row, own, hits[index] ?? [], columns, context);
    if (kind) {
      if (kind === "total") isFinished = reading.items.length > 0;
      if (kind === "section" && mode === "similar") continue;
      if (kind !== "carry") mode = kind === "subtotal" ? "complete" : "closed";
      reading.attached = false;
      continue;
    }
    const parts = toParts(row, columns, context);
    if (mode !== "open") {
      const missing = mode === "complete" ? 0 : 1;
      if (!isComplete(parts, usual, numeric, missing) || isAdjustment(row, own)) continue;
      if (mode === "closed") {
        leftOut.push(row);
        continue;
      }
      mode = "open";
    } else if (isAdjustment(row, own) && parts.numbers.size === 1 && isComplete(parts, usual, numeric, 9)) {
      // "Shipping 10.00" among rows with quantities and prices changes the sum, and is not a row.
      reading.attached = false;
      continue;
    }
    addToRows(reading, parts, gap, numeric, fields, row);
  }
  const items = [...before, ...withoutCopy(reading.items, before)];
  return { items, leftOut };
}

function newReading(): Reading {
  return { items: [], current: undefined, pending: [], above: false, split: false, lines: 0, attached: false };
}

function toParts(row: Row, columns: Header["columns"], context: Context): RowParts {
  const atoms = toAtoms(row, columns);
  const places = getColumns(atoms, columns, context);
  const placed = atoms.map((atom: Atom, at: number) => ({ atom, field: columns[places[at] ?? -1]?.field }));
  return toRowParts(placed, (atom) => toNumber(atom, context));
}

/**
 * Whether a line has an amount, and as many numbers as most rows that were read. If they have more than two, `missing` of them may be missing.
 */
function isComplete(parts: RowParts, usual: Usual, numeric: boolean, missing: number): boolean {
  if (!numeric) return false;
  const { typical, decimals } = usual.get();
  if (typical === 0 || parts.numbers.size < (typical > 2 ? typical - missing : typical)) return false;
  const amounts = [...parts.numbers].filter(([field]) => field.concept?.id === "line-amount" || field.kind === "money");
  if (decimals && !amounts.some(([, { span }]) => hasDecimals(span))) return false;
  return typical > 1 || parts.texts.some(({ span }) => /\p{L}{2}/u.test(printed(span)));
}

/** What most of the rows that were read have: the median of their counts of numbers, and whether any has an amount with decimals. */
interface Usual {
  get(): { readonly typical: number; readonly decimals: boolean };
}

/** Follows the rows that are read. All but the last one do not change any more, and are counted once. */
function followRows({ items }: Reading): Usual {
  const counts: number[] = [];
  let counted = 0;
  let decimals = false;
  const hasAny = (item: Item): boolean => [...item.numbers.values()].some(({ span }) => hasDecimals(span));
  return {
    get() {
      for (; counted < items.length - 1; counted += 1) {
        const { numbers } = items[counted] as Item;
        counts[numbers.size] = (counts[numbers.size] ?? 0) + 1;
        decimals ||= hasAny(items[counted] as Item);
      }
      const last = items.at(-1);
      if (last === undefined) return { typical: 0, decimals };
      let below = Math.floor(items.length / 2);
      let typical = 0;
      for (; ; typical += 1) {
        below -= (counts[typical] ?? 0) + (last.numbers.size === typical ? 1 : 0);
        if (below < 0) return { typical, decimals: decimals || hasAny(last) };
      }
    },
  };
}

function hasDecimals(span: Span): boolean {
  return /\d[.,]\d{2}(?!\d)/u.test(printed(span));
}

/** Returns rows without those that repeat others: the second copy of a document has the same numbers as the first. */
function withoutCopy(rows: readonly Item[], others: readonly Item[]): Item[] {
  const digest = (item: Item): string => [...item.numbers.values()].map(({ value }) => value).join(" ");
  const isCopy =
    rows.length > 0 &&
    rows.length === others.length &&
    rows.every((row, at) => digest(row) === digest(others[at] as Item));
  return isCopy ? [] : [...rows];
}

/** Returns the gap between two rows, relative to the text height of the lower one; 0 without a layout. */
function getGap(upper: Row, lower: Row): number {
  if (!upper.box || !lower.box) return 0;
  const heights = lower.cells.map((cell) => (cell.box ? cell.box.y1 - cell.box.y0 : 0)).filter((height) => height > 0);
  const height = heights.length > 0 ? Math.min(...heights) : 0;
  return height > 0 ? Math.max(0, lower.box.y0 - upper.box.y1) / height : 0;
}

function signature(header: Header): string {
  return header.columns
    .flatMap((column) => (column.field && column.field.column.tableId !== "~" ? [column.field.column.slug] : []))
    .sort()
    .join(" ");
}

/** Whether a header begins at a row: its first line is this row or one of the next three on the page. */
function startsAt(header: Header, index: number, rows: readonly Row[]): boolean {
  return header.last - index <= 4 && rows[header.last]?.page === rows[index]?.page && header.first <= index;
}
