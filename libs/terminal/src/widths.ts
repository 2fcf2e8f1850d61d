import type { Content } from "./view.ts";

/** The measured widths of a column: of its title and of its widest cell. */
export interface MeasuredColumn {
  readonly title: number;
  readonly cells: number;
  readonly content: Content | undefined;
}

/** The number of spaces between two columns. */
export const gap = 2;

/** The contents that shrink first, in this order, each to a minimum width. */
const first: readonly (readonly [content: Content, least: number])[] = [
  ["reference", 10],
  ["id", 10],
  ["time", 10],
];
const minTitleWidth = 6;
const minTextWidth = 8;
const least = 3;

/**
 * Determines the widths of columns on a terminal: their full widths if they fit. Otherwise columns shrink, the widest first: ids, then
 * times, then titles above narrower cells, then texts, and then all.
 */
export function fitWidths(measured: readonly MeasuredColumn[], columns: number | undefined): number[] {
  const widths = measured.map(({ title, cells }) => Math.max(title, cells));
  if (columns === undefined) return widths;
  const room = columns - gap * (measured.length - 1);
  const shrink = (getMinWidth: (column: MeasuredColumn) => number): void => {
    const bounds = measured.map(getMinWidth);
    for (let excess = widths.reduce((sum, width) => sum + width, 0) - room; excess > 0; excess -= 1) {
      const spare = widths.map((width, index) => (width > (bounds[index] ?? 0) ? width : 0));
      const widest = spare.indexOf(Math.max(...spare));
      if ((spare[widest] ?? 0) === 0) return;
      widths[widest] = (widths[widest] ?? 0) - 1;
    }
  };
  for (const [shrinking, bound] of first) shrink(({ content }) => (content === shrinking ? bound : Infinity));
  shrink(({ content, cells }) => (content === undefined ? Math.max(cells, minTitleWidth) : Infinity));
  shrink(({ content }) => (content === "text" || content === "path" ? minTextWidth : Infinity));
  shrink(() => least);
  return widths;
}
