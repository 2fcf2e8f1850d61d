import type { Field } from "../../../concepts.ts";
import type { Context } from "../../../context.ts";
import { ownKey } from "../fields/fields.ts";
import { joined } from "../../../fold.ts";
import type { LabelHit, LabelIndex } from "../../../labels.ts";
import { getRectangle, type Cell, type Row } from "../../../layout/layout.ts";
import { around, horizontalOverlap, type Rectangle } from "../../../layout/rectangle.ts";

/** A column in the header of a document's table. */
export interface HeaderColumn {
  /** The field of the column; undefined if it was not requested. */
  readonly field: Field | undefined;
  /** The left and right edges, as fractions of the page's width, or of the number of columns without a layout. */
  readonly from: number;
  readonly to: number;
}

/** A header with the rows that belong to it. */
export interface Header {
  readonly columns: readonly HeaderColumn[];
  /** The row with most of the labels. */
  readonly first: number;
  /** The last row of the header. The body begins after it. */
  readonly last: number;
  /** How well the row names the fields: their number, and the proportion of its letters that belong to labels. */
  readonly strength: number;
}

interface Piece {
  readonly text: string;
  readonly box: Rectangle | undefined;
  readonly hit: LabelHit | undefined;
}

const MAX_HEADERS = 60;
const MIN_COVERAGE = 0.45;

/**
 * Finds the headers for the fields of a table: rows without sums in which labels name at least two of the fields (one, if there is only
 * one) and make up about half of the letters. Lines above and below in the same columns belong to the labels. `others` are fields that
 * nobody asked for, which only get columns that are left.
 */
export function findHeaders(
  context: Context,
  fields: readonly Field[],
  hits: readonly (readonly LabelHit[])[],
  index: LabelIndex,
  others: readonly Field[] = [],
): Header[] {
  const headers: Header[] = [];
  for (let row = 0; row < context.layout.rows.length && headers.length < MAX_HEADERS; row += 1) {
    let header = headerAt(row, context, fields, hits, index, others);
    if (!header) continue;
    // In a header of several lines, the line that names the most fields is the base.
    for (let next = row + 1; next <= header.last; next += 1) {
      const other = headerAt(next, context, fields, hits, index, others);
      if (other && other.strength > header.strength) header = other;
    }
    headers.push(header);
    row = header.last;
  }
  return headers;
}

function headerAt(
  at: number,
  context: Context,
  fields: readonly Field[],
  hits: readonly (readonly LabelHit[])[],
  index: LabelIndex,
  others: readonly Field[],
): Header | undefined {
  const row = context.layout.rows[at];
  const found = hits[at] ?? [];
  if (!row || found.length < Math.min(2, fields.length) || hasSums(row, context)) return undefined;
  const letters = row.cells.reduce((sum, cell) => sum + joined(cell.text).length, 0);
  const labeled = found.reduce((sum, hit) => sum + joined(hit.cell.text.slice(hit.start, hit.end)).length, 0);
  const coverage = labeled / Math.max(1, letters);
  if (coverage < MIN_COVERAGE || letters > 160) return undefined;

  const pieces = row.cells.flatMap((cell) => splitPieces(cell, found));
  const band = bandAround(at, context, hits);
  const columns = merge(pieces, band.pieces);
  if (columns.length < 2) return undefined;
  const assigned = assign(columns, fields, index);
  if (assigned.size < Math.min(2, fields.length)) return undefined;
  const { size } = assigned;
  assignOthers(assigned, columns, others, index);
  return {
    columns: columns.map((column, place) => ({
      field: [...assigned].find(([, of]) => of === place)?.[0],
      from: column.box?.x0 ?? place / columns.length,
      to: column.box?.x1 ?? (place + 1) / columns.length,
    })),
    first: at,
    last: band.last,
    strength: size + coverage,
  };
}

/** Whether a row contains amounts with decimals, which headers do not. */
function hasSums(row: Row, context: Context): boolean {
  return row.cells.some((cell) => context.numbers(cell).some((number) => number.decimals > 0 || number.value > 999));
}

/** Splits a cell into its labels and the texts between them, from left to right. */
function splitPieces(cell: Cell, hits: readonly LabelHit[]): Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const rest = (to: number): void => {
    const text = cell.text.slice(from, to);
    if (/[\p{L}\d#%]/u.test(text) && joined(text).length > 1)
      pieces.push({ text, box: getRectangle(cell, from, to), hit: undefined });
  };
  for (const hit of hits.filter((each) => each.cell === cell)) {
    rest(hit.start);
    pieces.push({ text: cell.text.slice(hit.start, hit.end), box: getRectangle(cell, hit.start, hit.end), hit });
    from = hit.end;
  }
  rest(cell.text.length);
  return pieces;
}

/** Finds short lines without numbers directly above and below a header row, which are further lines of its labels. */
function bandAround(
  at: number,
  context: Context,
  hits: readonly (readonly LabelHit[])[],
): { pieces: { piece: Piece; above: boolean }[]; last: number } {
  const pieces: { piece: Piece; above: boolean }[] = [];
  const base = context.layout.rows[at];
  let last = at;
  for (const step of [-1, 1]) {
    let previous = base;
    for (let index = at + step; Math.abs(index - at) <= 4; index += step) {
      const row = context.layout.rows[index];
      if (!row?.box || !previous?.box || !base || row.page !== base.page) break;
      const gap = step < 0 ? previous.box.y0 - row.box.y1 : row.box.y0 - previous.box.y1;
      const plain = row.cells.every((cell) => cell.text.length <= 28 && !/\d|:/u.test(cell.text));
      if (!plain || gap > 0.9 * (base.box ? base.box.y1 - base.box.y0 : 0)) break;
      for (const cell of row.cells)
        for (const piece of splitBand(cell, hits[index] ?? [])) pieces.push({ piece, above: step < 0 });
      previous = row;
      if (step > 0) last = index;
    }
  }
  return { pieces, last };
}

/** Splits a cell that consists of several labels, and returns others as a whole. */
function splitBand(cell: Cell, hits: readonly LabelHit[]): Piece[] {
  const own = hits.filter((hit) => hit.cell === cell);
  const labeled = own.reduce((sum, hit) => sum + joined(cell.text.slice(hit.start, hit.end)).length, 0);
  if (own.length > 1 && labeled > 0.8 * joined(cell.text).length) return splitPieces(cell, own);
  return [{ text: cell.text, box: cell.box, hit: undefined }];
}

interface Column {
  box: Rectangle | undefined;
  readonly base: string;
  above: string;
  below: string;
}

function merge(pieces: readonly Piece[], band: readonly { piece: Piece; above: boolean }[]): Column[] {
  const columns: Column[] = pieces.map((piece) => ({ box: piece.box, base: piece.text, above: "", below: "" }));
  for (const { piece, above } of band) {
    const box = piece.box;
    if (!box) continue;
    let column = columns.find((each) => each.box && horizontalOverlap(each.box, box) > 0.3);
    if (!column) {
      column = { box, base: "", above: "", below: "" };
      columns.push(column);
    }
    // Lines above are found from bottom to top.
    if (above) column.above = `${piece.text} ${column.above}`;
    else column.below = `${column.below} ${piece.text}`;
    if (column.base === "") column.box = around([column.box, box]);
  }
  return columns.sort((one, other) => (one.box?.x0 ?? 0) - (other.box?.x0 ?? 0));
}

/** Assigns a column to each field. The best label wins, and each column has one field. */
function assign(columns: readonly Column[], fields: readonly Field[], index: LabelIndex): Map<Field, number> {
  const options = findOptions(columns, fields, index);
  const assigned = new Map<Field, number>();
  preferAmountOnTheRight(options, fields);
  // The rightmost column named "total" is the amount of the line, so the later of two equal labels wins.
  for (const option of options.sort((one, other) => other.weight - one.weight || other.place - one.place)) {
    if (assigned.has(option.field) || [...assigned.values()].includes(option.place)) continue;
    assigned.set(option.field, option.place);
  }
  // The amounts of lines are on the right. If other numbers were found, a last column with an unknown label contains them.
  const amount = fields.find((field) => field.concept?.id === "line-amount" && !assigned.has(field));
  const last = columns.length - 1;
  const numbers = [...assigned.keys()].filter((field) => field.kind === "money" || field.kind === "number").length;
  const known = index.exact(joined(columns[last]?.base ?? "")) !== undefined || /%/u.test(columns[last]?.base ?? "");
  if (amount && numbers >= 2 && !known && ![...assigned.values()].includes(last)) assigned.set(amount, last);
  return assigned;
}

/** Assigns columns that are left to fields that nobody asked for. */
function assignOthers(
  assigned: Map<Field, number>,
  columns: readonly Column[],
  others: readonly Field[],
  index: LabelIndex,
): void {
  for (const { field, place } of findOptions(columns, others, index).sort((one, other) => other.weight - one.weight)) {
    if (!assigned.has(field) && ![...assigned.values()].includes(place)) assigned.set(field, place);
  }
}

interface Option {
  readonly field: Field;
  readonly place: number;
  weight: number;
}

function findOptions(columns: readonly Column[], fields: readonly Field[], index: LabelIndex): Option[] {
  const options: Option[] = [];
  columns.forEach((column, place) => {
    const texts = [
      `${column.above} ${column.base} ${column.below}`,
      `${column.above} ${column.base}`,
      `${column.base} ${column.below}`,
      column.base,
    ];
    for (const field of fields) {
      let weight = 0;
      texts.forEach((text, rank) => {
        const meanings = index.exact(`${joined(text)}${/%\W*$/u.test(text) ? "%" : ""}`) ?? index.exact(joined(text));
        const own = meanings?.get(ownKey(field)) ?? 0;
        const shared = field.concept ? (meanings?.get(field.concept.id) ?? 0) : 0;
        weight = Math.max(weight, Math.max(own * 1.05, shared) - 0.01 * rank);
      });
      if (weight > 0) options.push({ field, place, weight });
    }
  });
  return options;
}

/**
 * A column "Amount" to the left of the descriptions has quantities if another column to the right of them can have the amounts: it is then
 * an option for the quantity instead.
 */
function preferAmountOnTheRight(options: Option[], fields: readonly Field[]): void {
  const description = Math.max(
    -1,
    ...options.filter(({ field }) => field.concept?.id === "line-description").map(({ place }) => place),
  );
  const amounts = options.filter(({ field }) => field.concept?.id === "line-amount");
  if (description < 0 || !amounts.some(({ place }) => place > description)) return;
  const quantity = fields.find((field) => field.concept?.id === "line-quantity");
  for (const option of amounts.filter(({ place }) => place < description)) {
    option.weight = 0.01;
    const { place } = option;
    if (quantity && !options.some((each) => each.field === quantity && each.place !== place))
      options.push({ field: quantity, place, weight: 0.5 });
  }
}
