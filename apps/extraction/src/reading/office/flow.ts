import type { GridCell, GridRow } from "../grid.ts";

/** Collects the paragraphs and tables of a document, as rows on pages. */
export interface Flow {
  /** Adds a paragraph, which may have several lines. */
  paragraph(text: string): void;
  /** Adds a table with the texts of its cells. A cell may span several columns. */
  table(rows: readonly (readonly { readonly text: string; readonly span: number }[])[]): void;
  /** Begins a new page. */
  breakPage(): void;
  /** Returns the pages that have text, or the only one. */
  pages(): GridRow[][];
}

/** Creates an empty document. */
export function createFlow(): Flow {
  const pages: GridRow[][] = [[]];
  let tables = 0;
  const add = (row: GridRow): void => void pages.at(-1)?.push(row);
  return {
    paragraph(text) {
      // Tabs align what is between them, as in a table.
      for (const line of text.split("\n")) {
        const cells = line.split("\t").map((each, column) => ({ column, text: each }));
        if (cells.some((cell) => cell.text.trim() !== "")) add({ table: 0, cells: tightened(cells) });
      }
    },
    table(rows) {
      tables += 1;
      for (const row of rows) {
        const cells: GridCell[] = [];
        let column = 0;
        for (const { text, span } of row) {
          if (text.trim() !== "") cells.push({ column, text });
          column += Math.max(1, Math.min(span, maxSpan));
        }
        if (cells.length > 0) add({ table: tables, cells });
      }
    },
    breakPage() {
      if ((pages.at(-1)?.length ?? 0) > 0) pages.push([]);
    },
    pages: () => (pages.length > 1 ? pages.filter((page) => page.length > 0) : pages),
  };
}

const maxSpan = 100;

/** Removes empty cells, which several tabs in succession make. */
function tightened(cells: readonly GridCell[]): GridCell[] {
  return cells.filter((cell) => cell.text.trim() !== "").map(({ text }, column) => ({ column, text }));
}
