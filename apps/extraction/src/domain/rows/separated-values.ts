import type { Cell } from "./cells.ts";

/** The beginnings of texts that spreadsheet programs take for a formula. */
const formula = /^[=+\-@\t\r]/;
const special = /[",\r\n]/;

/**
 * Returns a line of comma-separated values as in RFC 4180, with its line end. A text that a spreadsheet program would take for a formula is
 * preceded by an apostrophe; numbers never are. Null is an empty field.
 */
export function toSeparatedLine(cells: readonly Cell[]): string {
  return `${cells.map(toField).join(",")}\r\n`;
}

/** Returns the text of a field without the apostrophe that `toSeparatedLine` puts before what looks like a formula. */
export function withoutApostrophe(field: string): string {
  return field.startsWith("'") && formula.test(field.slice(1)) ? field.slice(1) : field;
}

function toField(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  const text = formula.test(cell) ? `'${cell}` : cell;
  return special.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
