import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { DocumentText, TextLine, TextPage } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { tokenize, type Token } from "../fold.ts";
import { around, toRectangle, slice, type Rectangle } from "./rectangle.ts";

/** The limits of what is read of a document. Everything beyond them is ignored, so that the work is bounded. */
export const LIMITS = { characters: 300_000, lines: 12_000, lineCharacters: 2_000 } as const;

/** A part of a line between wide gaps. */
export interface Cell {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The page number in the document, from 1. */
  readonly page: number;
  /** The start of the cell in the text of its line, in UTF-16 units. */
  readonly offset: number;
  readonly line: TextLine;
  readonly box: Rectangle | undefined;
  /** The index of its row in the layout. */
  row: number;
  /** The index of the cell in its row. */
  column: number;
}

/** Cells that are next to each other on a page, from left to right. */
export interface Row {
  readonly page: number;
  readonly cells: readonly Cell[];
  readonly box: Rectangle | undefined;
}

/** A document as rows of cells, top to bottom. */
export interface Layout {
  readonly rows: readonly Row[];
  /** The cells in reading order, as the reader returned the lines. */
  readonly cells: readonly Cell[];
  /** The rows at which the document and each of its attachments begin. */
  readonly heads: readonly number[];
  /** The median height of the cells that have a box; 0 without a layout. */
  readonly height: number;
  /** The pages by their numbers. */
  readonly pages: ReadonlyMap<number, TextPage>;
}

/**
 * Arranges the text of a document. Lines with boxes that are next to each other become one row; those of pictures are rows already, and their
 * boxes overlap where the paper is curved. Never throws; invalid boxes are ignored.
 */
export function createLayout(text: DocumentText): Layout {
  const rows: Row[] = [];
  const cells: Cell[] = [];
  const heads: number[] = [];
  let attachment: string | undefined;
  let characters: number = LIMITS.characters;
  let lines: number = LIMITS.lines;
  for (const page of text.pages) {
    const read: Cell[][] = [];
    if (page.attachment !== attachment) heads.push(rows.length);
    attachment = page.attachment;
    for (const line of page.lines) {
      if (characters <= 0 || lines <= 0) break;
      const split = splitCells(page, line);
      characters -= line.text.length + 1;
      lines -= 1;
      if (split.length > 0) read.push(split);
    }
    for (const row of page.source === TextSource.OCR ? read : arrange(read)) {
      const box = around(row.map((cell) => cell.box));
      row.forEach((cell, column) => {
        cell.row = rows.length;
        cell.column = column;
      });
      rows.push({ page: page.number, cells: row, box });
    }
    // A page may have more cells than a call may have arguments.
    for (const line of read) for (const cell of line) cells.push(cell);
  }
  const height = middle(cells.map((cell) => (cell.box ? cell.box.y1 - cell.box.y0 : 0)));
  return { rows, cells, heads, height, pages: new Map(text.pages.map((page) => [page.number, page])) };
}

/** Returns the rectangle of a part of a cell, given in UTF-16 units of its text; undefined without a layout. */
export function getRectangle(cell: Cell, from: number, to: number): Rectangle | undefined {
  if (!cell.box) return undefined;
  const parts: Rectangle[] = [];
  for (const word of cell.line.words) {
    const box = toRectangle(word.box);
    const start = word.offset - cell.offset;
    const end = start + word.text.length;
    if (!box || end <= from || start >= to) continue;
    parts.push(
      slice(box, Math.max(0, (from - start) / word.text.length), Math.min(1, (to - start) / word.text.length)),
    );
  }
  if (parts.length > 0) return around(parts);
  const length = Math.max(1, cell.text.length);
  return slice(cell.box, Math.min(1, from / length), Math.min(1, to / length));
}

function splitCells(page: TextPage, line: TextLine): Cell[] {
  const text = line.text.slice(0, LIMITS.lineCharacters);
  const cells: Cell[] = [];
  const whole = toRectangle(line.box);
  const words = line.words
    .slice(0, LIMITS.lineCharacters)
    .map((word) => ({ offset: word.offset, box: toRectangle(word.box) }));
  for (const match of text.matchAll(/\S(?:\S|[^\S\t\n\r]{1,2}(?=\S))*/gu)) {
    const offset = match.index;
    const end = offset + match[0].length;
    const inside = words.filter((word) => word.offset >= offset && word.offset < end);
    const share = Math.max(1, text.length);
    cells.push({
      text: match[0],
      tokens: tokenize(match[0]),
      page: page.number,
      offset,
      line,
      box: around(inside.map((word) => word.box)) ?? (whole ? slice(whole, offset / share, end / share) : undefined),
      row: 0,
      column: 0,
    });
  }
  return cells;
}

function arrange(lines: readonly Cell[][]): Cell[][] {
  const cells = lines.flat();
  if (cells.some((cell) => !cell.box)) return lines.map((line) => [...line]);
  const sorted = cells
    .map((cell) => ({ cell, box: cell.box as Rectangle }))
    .sort((one, other) => one.box.y0 + one.box.y1 - other.box.y0 - other.box.y1);
  const rows: { cells: { cell: Cell; box: Rectangle }[]; center: number; height: number }[] = [];
  const usual = middle(sorted.map(({ box }) => box.y1 - box.y0));
  const upright: Cell[][] = [];
  for (const entry of sorted) {
    // Text that runs up or down the margin would be beside every row.
    if (isUpright(entry.box, usual) && entry.cell.text.length > 2) {
      upright.push([entry.cell]);
      continue;
    }
    const center = (entry.box.y0 + entry.box.y1) / 2;
    const height = entry.box.y1 - entry.box.y0;
    const last = rows.at(-1);
    if (last && Math.abs(center - last.center) < 0.5 * Math.min(height, last.height)) {
      last.cells.push(entry);
      last.center += (center - last.center) / last.cells.length;
      last.height = Math.min(last.height, height);
    } else rows.push({ cells: [entry], center, height });
  }
  return [
    ...rows.map((row) => row.cells.sort((one, other) => one.box.x0 - other.box.x0).map((entry) => entry.cell)),
    ...upright,
  ];
}

/** Whether a box is that of text that was turned by 90 degrees: much taller than other lines, and taller than wide. */
function isUpright(box: Rectangle, usual: number): boolean {
  const height = box.y1 - box.y0;
  return usual > 0 && height > 5 * usual && height > 2 * (box.x1 - box.x0);
}

function middle(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
