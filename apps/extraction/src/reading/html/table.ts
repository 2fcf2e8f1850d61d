import type { DomNode, FormatCallback } from "html-to-text";

/** A cell: its text, which may have several lines, and how many columns and rows it takes. */
export interface Cell {
  readonly text: string;
  readonly colspan: number;
  readonly rowspan: number;
}

/** HTML limits the columns of a cell to this number; cells further to the right do not reach into later rows. */
const maxSpan = 1_000;

/**
 * Formats a table with `tableText`. The formatter `dataTable` of html-to-text does the same with blanks between the cells, but takes time
 * that grows with the square of the rows, and of the columns.
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

  builder.openTable();
  table.children.forEach(formatPart);
  builder.closeTable({ tableToString: tableText });
};

function getSpan(cell: DomNode, name: "colspan" | "rowspan"): number {
  const span = Math.trunc(Number((cell.attribs as Record<string, string>)[name]));
  return span >= 1 ? Math.min(span, maxSpan) : 1;
}

/**
 * The text of a table: a line for each line of the cells that stand beside each other, with tabs between them, in the order of the
 * columns. Takes time that is proportional to the cells and their lines.
 */
export function tableText(rows: readonly (readonly Cell[])[]): string {
  const lines: { column: number; text: string }[][] = [];
  /** The line at which each row begins. */
  const starts = [0];
  /** Up to which row a cell of an earlier one takes a column. */
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

/** The start of a row; one that no cell has moved down begins a line after the row before. */
function getStart(starts: number[], row: number): number {
  for (let known = starts.length; known <= row; known += 1) starts[known] = starts[known - 1]! + 1;
  return starts[row]!;
}

function inOrder(pieces: readonly { column: number; text: string }[]): string[] {
  return pieces.toSorted((a, b) => a.column - b.column).map(({ text }) => text);
}
