import { getCharset, decodeText } from "../decoding.ts";
import { readDecoded } from "./plain.ts";
import type { ReadContext, Reading, Source } from "../reading.ts";

/** Reads comma-, semicolon- or tab-separated values. Each row becomes a line with its cells separated by tabs. Never fails. */
export function readTable(source: Source, context: ReadContext): Reading {
  // Enough for the budget to detect that there is more, but no more than fits into memory as cells.
  const maxLength = 4 * context.budget.charactersLeft() + 1000;
  const rows = parseRows(decodeText(source.bytes, getCharset(source.contentType)).slice(0, maxLength));
  return readDecoded(rows.map((cells) => cells.join("\t")).join("\n"), context);
}

/**
 * Parses the rows of separated values (RFC 4180, with the separator that occurs most often in the first line). Runs of spaces in cells
 * become one space.
 */
export function parseRows(text: string): string[][] {
  const separator = detectSeparator(text);
  const rows: string[][] = [];
  let cells: string[] = [];
  const pattern = new RegExp(
    `("(?:[^"]+|"")*"?[^${separator}\\r\\n]*|[^${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`,
    "g",
  );
  for (const [whole, cell = "", end = ""] of text.matchAll(pattern)) {
    if (whole === "") break;
    cells.push(parseCell(cell));
    if (end === separator) continue;
    rows.push(cells);
    cells = [];
  }
  if (cells.length > 0) rows.push(cells);
  return rows;
}

function parseCell(cell: string): string {
  const quoted = cell.startsWith('"')
    ? cell
        .slice(1)
        .replace(/"(?!")\s*$/, "")
        .replaceAll('""', '"')
    : cell;
  return quoted.replace(/\s+/g, " ").trim();
}

function detectSeparator(text: string): string {
  const first = /^.*/.exec(text)?.[0] ?? "";
  const counts = [",", ";", "\t"].map((separator) => ({ separator, count: first.split(separator).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).separator;
}
