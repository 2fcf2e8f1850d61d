import type { CellResult, FileText } from "@switchyard/client";
import type { Mark } from "../../../document/marks.ts";
import { formatValue } from "../../../format/figures.ts";

/** Returns the key of a cell, which is unique within its file. */
export function toKey({ table, row, column }: Pick<CellResult, "table" | "row" | "column">): string {
  return `${table}.${row}.${column}`;
}

/**
 * Returns the places of cells in their document: where the value was extracted, or else where the accepted one is printed. A cell whose
 * values are nowhere in the text has no place. `nameOf` names a cell with both values.
 */
export function listMarks(
  cells: readonly CellResult[],
  pages: FileText["pages"],
  nameOf: (cell: CellResult) => string,
): readonly Mark[] {
  return cells.flatMap((cell): Mark[] => {
    const named = { key: toKey(cell), label: nameOf(cell) };
    if (cell.evidence !== null) {
      const { page, quote, box } = cell.evidence;
      return [{ ...named, page, quote, box }];
    }
    if (cell.expected === null) return [];
    const quote = formatValue(cell.expected);
    const page = pages.find(({ text }) => text.includes(quote));
    return page === undefined ? [] : [{ ...named, page: page.number, quote, box: null }];
  });
}
