import { toLine, withoutControls, type PlacedWord } from "./lines.ts";
import type { Budget } from "./limits.ts";
import type { ReadLine } from "./reading.ts";

/** A cell of a row: its column, from 0, its text, which may have several lines, and its name if it has one. */
export interface GridCell {
  readonly column: number;
  readonly text: string;
  readonly name?: string;
}

/** A row of cells in the order of their columns. Rows of the same table have the same number. */
export interface GridRow {
  readonly table: number;
  readonly cells: readonly GridCell[];
}

/** The width of a page in characters, and its height in lines, unless it has more. */
const page = { characters: 100, lines: 60 };
/** The maximum width of a column in characters. Longer texts are narrower. */
const maxColumn = 60;

/**
 * Places rows on a page: the cells of a column of a table begin below each other, so that a value can be assigned to the heading of its column
 * even if the cells before it are empty. A cell with several lines extends its row. The text of a line is that of its cells, separated by
 * tabs; empty lines are left out.
 */
export function placeRows(rows: readonly GridRow[]): ReadLine[] {
  const starts = measureTables(rows);
  const width = Math.max(page.characters, ...[...starts.values()].map((columns) => columns.at(-1) ?? 0));
  const split = rows.map(({ table, cells }) => ({
    table,
    lines: toLines(cells),
  }));
  const height = Math.max(
    page.lines,
    split.reduce((sum, { lines }) => sum + lines.length, 0),
  );
  let at = 0;
  return split.flatMap(({ table, lines }) => {
    const columns = starts.get(table) ?? [];
    return lines.map((cells) => placeLine(cells, columns, width, { y: at++ / height, height: 0.8 / height }));
  });
}

/**
 * Returns the first rows that have so many characters or lines together that no more fit into the budget. Many cells may refer to the same long text, or
 * be repetitions, so that placing all of them would take much more memory and time than the document has bytes.
 */
export function boundRows(rows: readonly GridRow[], budget: Budget): readonly GridRow[] {
  const [characters, lines] = [budget.charactersLeft(), budget.linesLeft()];
  let [visible, all, filled] = [0, 0, 0];
  const end = rows.findIndex(({ cells }) => {
    const before = visible;
    for (const { text } of cells) {
      visible += withoutControls(text).replace(/\s+/g, "").length;
      all += text.length;
    }
    if (visible > before) filled += 1;
    return visible > characters || filled > lines || all > mostWhiteSpace * characters;
  });
  if (end === -1) return rows;
  if (all > mostWhiteSpace * characters) budget.recordTruncation(budget.limits.maxCharacters, "characters");
  return rows.slice(0, end + 1);
}

/** How many times the characters that are read a document may have with its white space, most of which is not read. */
const mostWhiteSpace = 20;

/** Returns the first column of each table in characters, and its end. */
function measureTables(rows: readonly GridRow[]): Map<number, number[]> {
  const widths = new Map<number, number[]>();
  for (const { table, cells } of rows) {
    const columns = widths.get(table) ?? [];
    widths.set(table, columns);
    for (const { column, text } of cells) {
      const longest = text.split("\n").reduce((most, line) => Math.max(most, line.length), 0);
      columns[column] = Math.max(columns[column] ?? 0, Math.min(longest, maxColumn) + 2);
    }
  }
  for (const [table, columns] of widths) {
    let sum = 0;
    const starts = Array.from(columns, (width) => {
      const start = sum;
      sum += width ?? 2;
      return start;
    });
    widths.set(table, [...starts, sum]);
  }
  return widths;
}

/** Splits cells into lines with the cells that have text there. */
function toLines(cells: readonly GridCell[]): GridCell[][] {
  const lines: GridCell[][] = [];
  for (const cell of cells)
    cell.text.split("\n").forEach((text, index) => {
      const visible = withoutControls(text).replace(/\s+/g, " ").trim();
      if (visible !== "") (lines[index] ??= []).push({ ...cell, text: visible });
    });
  return lines.filter((line) => line !== undefined);
}

function placeLine(
  cells: readonly GridCell[],
  columns: readonly number[],
  pageWidth: number,
  row: { readonly y: number; readonly height: number },
): ReadLine {
  const names: { name: string; offset: number }[] = [];
  const words: PlacedWord[] = [];
  let offset = 0;
  cells.forEach(({ column, text, name }, index) => {
    const start = columns[column] ?? 0;
    const room = Math.max(1, (columns[column + 1] ?? start + 1) - start - 1);
    // A character of a text that is too long for its column is narrower.
    const character = Math.min(1, room / text.length) / pageWidth;
    if (index > 0) offset += 1;
    if (name !== undefined) names.push({ name, offset });
    for (const match of text.matchAll(/\S+/g))
      words.push({
        text: match[0],
        before: match.index > 0 ? " " : "\t",
        box: { x: start / pageWidth + match.index * character, width: match[0].length * character, ...row },
      });
    offset += text.length;
  });
  return { ...toLine(words), ...(names.length > 0 && { cells: names }) };
}

/** Returns the name of a column of a sheet, from 0: A to Z, AA and so on. */
export function columnName(column: number): string {
  let name = "";
  for (let left = column + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  }
  return name;
}
