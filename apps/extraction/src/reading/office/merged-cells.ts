/** Tells whether the cell in a row and a column, both from 0, is covered by the one that it was merged with. */
export type IsCovered = (row: number, column: number) => boolean;

/** What is kept of the merged cells of a sheet. Those of more cells than `small` are kept as ranges, and others cell by cell. */
const most = { small: 1_000, ranges: 100, cells: 200_000 };

const merged = /<(?:\w+:)?mergeCell\s+ref="([A-Z]{1,3})(\d{1,7}):([A-Z]{1,3})(\d{1,7})"/g;

/** Reads which cells of the source of a sheet are merged. */
export function readMergedCells(source: string): IsCovered {
  const cells = new Set<number>();
  const ranges: { left: number; top: number; right: number; bottom: number }[] = [];
  // The merged cells are listed after all cells.
  for (const [, ...corners] of source.slice(Math.max(0, source.lastIndexOf("sheetData>"))).matchAll(merged)) {
    const [left, right] = [corners[0], corners[2]].map((name = "") => toColumn(name) ?? 0) as [number, number];
    const [top, bottom] = [corners[1], corners[3]].map((number) => Number(number) - 1) as [number, number];
    const count = (right - left + 1) * (bottom - top + 1);
    if (count > most.small) {
      if (ranges.length < most.ranges) ranges.push({ left, top, right, bottom });
      continue;
    }
    if (cells.size + count > most.cells) break;
    for (let row = top; row <= bottom; row++) {
      for (let column = left; column <= right; column++) {
        if (row > top || column > left) cells.add(row * maxColumns + column);
      }
    }
  }
  return (row, column) =>
    cells.has(row * maxColumns + column) ||
    ranges.some(
      ({ left, top, right, bottom }) =>
        column >= left && column <= right && row >= top && row <= bottom && (row > top || column > left),
    );
}

/** The number of columns of a sheet, which Excel has. */
export const maxColumns = 16_384;

/** Returns the column in the name of a cell, from 0; undefined if it has none. */
export function toColumn(name: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(name)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}
