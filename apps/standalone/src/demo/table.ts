/** Lays out rows under headings in columns of equal width, two blanks apart; cells longer than `widest` are cut. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[], widest = 44): string {
  const cut = (cell: string): string => (cell.length > widest ? `${cell.slice(0, widest - 1)}…` : cell);
  const lines = [headings, ...rows].map((cells) => cells.map(cut));
  const widths = headings.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
