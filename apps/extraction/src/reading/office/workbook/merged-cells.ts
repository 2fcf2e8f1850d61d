/** The merged cells of a sheet. */
export interface MergedCells {
  /**
   * Says what becomes of the text of a cell in a row and a column, both from 0: it is covered if the cell was merged with one that covers it; if that one
   * has the same text, it is only repeated. Called for all cells that would be displayed, in their order.
   */
  judge(row: number, column: number, text: string): "displayed" | "covered" | "repeated";
}

interface Range {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** What is kept of the merged cells of a sheet. Those of more cells than `small` are kept as ranges, and others cell by cell. */
const most = { small: 1_000, ranges: 100, cells: 200_000 };

const merged = /<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;

/** Reads which cells of the source of a sheet are merged. */
export function readMergedCells(source: string): MergedCells {
  /** For each cell, the one that covers it, which may be itself. */
  const covering = new Map<number, number>();
  const ranges: Range[] = [];
  const texts = new Map<number, string>();
  // The merged cells are listed after all cells.
  for (const [, ...corners] of source.slice(Math.max(0, source.lastIndexOf("sheetData>"))).matchAll(merged)) {
    const [left, right] = [corners[0], corners[2]].map((name = "") => toColumn(name) ?? 0) as [number, number];
    const [top, bottom] = [corners[1], corners[3]].map((number) => Number(number) - 1) as [number, number];
    const count = (right - left + 1) * (bottom - top + 1);
    if (count > most.small) {
      if (ranges.length < most.ranges) ranges.push({ left, top, right, bottom });
      continue;
    }
    if (covering.size + count > most.cells) break;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) covering.set(toPlace(row, column), toPlace(top, left));
    }
  }

  function findCovering(row: number, column: number): number | undefined {
    const single = covering.get(toPlace(row, column));
    if (single !== undefined) return single;
    const range = ranges.find(
      ({ left, top, right, bottom }) => column >= left && column <= right && row >= top && row <= bottom,
    );
    return range && toPlace(range.top, range.left);
  }

  return {
    judge(row, column, text) {
      const cell = findCovering(row, column);
      if (cell === undefined) return "displayed";
      if (cell !== toPlace(row, column)) return texts.get(cell) === text ? "repeated" : "covered";
      texts.set(cell, text);
      return "displayed";
    },
  };
}

function toPlace(row: number, column: number): number {
  return row * maxColumns + column;
}

/** The number of columns of a sheet, which Excel has. */
export const maxColumns = 16_384;

/** Returns the column in the name of a cell, from 0; undefined if it has none. */
export function toColumn(name: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(name)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
