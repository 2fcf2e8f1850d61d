import type { DomNode, FormatCallback } from "html-to-text";

/** A cell with its text, which may have several lines, and the number of columns and rows that it spans. */
export interface Cell {
  readonly text: string;
  readonly colspan: number;
  readonly rowspan: number;
}

/** HTML limits the columns of a cell to this number. Cells further to the right do not extend into later rows. */
const maxSpan = 1_000;

/**
 * Formats a table with `tableText`, below its caption. The formatter `dataTable` of html-to-text does the same with spaces between the cells, but its time is
 * quadratic in the number of rows, and of columns.
 */
export const formatTable: FormatCallback = (table, walk, builder, { maxColumnWidth }) => {
  function formatCell(cell: DomNode): void {
    builder.openTableCell({ maxColumnWidth });
    walk(cell.children, builder);
    builder.closeTableCell({ colspan: getSpan(cell, "colspan"), rowspan: getSpan(cell, "rowspan") });
  }

  function formatPart({ type, name = "", children }: DomNode): void {
    if (type !== "tag") return;
    if (["thead", "tbody", "tfoot", "center"].includes(name)) children.forEach(formatPart);
    if (name !== "tr") return;
    builder.openTableRow();
    for (const child of children) if (child.name === "td" || child.name === "th") formatCell(child);
    builder.closeTableRow();
  }

  for (const caption of table.children.filter(({ name }) => name === "caption")) {
    builder.openBlock();
    walk(caption.children, builder);
    builder.closeBlock();
  }
  builder.openTable();
  table.children.forEach(formatPart);
  builder.closeTable({ tableToString: tableText });
};

function getSpan(cell: DomNode, name: "colspan" | "rowspan"): number {
  const span = Math.trunc(Number((cell.attribs as Record<string, string>)[name]));
  return span >= 1 ? Math.min(span, maxSpan) : 1;
}

/**
 * Converts a table to text. Each line of adjacent cells becomes a line, with tabs between the cells in the order of the columns. The time
 * is proportional to the number of cells and their lines.
 */
export function tableText(rows: readonly (readonly Cell[])[]): string {
  const lines: { column: number; text: string }[][] = [];
  /** The line at which each row begins. */
  const starts = [0];
  /** For each column, the row up to which it is occupied by a cell of an earlier row. */
  const takenUntil: number[] = [];
  rows.forEach((cells, row) => {
    const start = getStart(starts, row);
    let column = 0;
    for (const { text, colspan, rowspan } of cells) {
      while ((takenUntil[column] ?? 0) > row) column += 1;
      const texts = text.split("\n");
      texts.forEach((line, n) => {
        if (line.trim() !== "") (lines[start + n] ??= []).push({ column, text: line });
      });
      const end = Math.min(row + rowspan, rows.length);
      const held = end > row + 1 ? Math.min(column + colspan, maxSpan) : 0;
      for (let taken = column; taken < held; taken += 1) takenUntil[taken] = end;
      starts[end] = Math.max(getStart(starts, end), start + texts.length);
      column += colspan;
    }
  });
  return [...lines].map((pieces = []) => inOrder(pieces).join("\t")).join("\n");
}

/** Returns the start of a row. A row that no cell has moved down begins one line after the previous row. */
function getStart(starts: number[], row: number): number {
  for (let known = starts.length; known <= row; known += 1) starts[known] = starts[known - 1]! + 1;
  return starts[row]!;
}

function inOrder(pieces: readonly { column: number; text: string }[]): string[] {
  return pieces.toSorted((a, b) => a.column - b.column).map(({ text }) => text);
}
