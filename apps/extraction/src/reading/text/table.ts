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
 * Parses the rows of separated values (RFC 4180, with a comma, semicolon, tab or bar as the separator). Spreadsheets may name it in a
 * first line "sep=;". Runs of spaces in cells become one space.
 */
export function parseRows(given: string): string[][] {
  const named = /^\ufeff?sep=(.)(?:\r\n|\r|\n)/i.exec(given);
  const text = given.slice(named?.[0].length ?? 0);
  const separator = escapeSeparator(named?.[1] ?? detectSeparator(text));
  const rows: string[][] = [];
  let cells: string[] = [];
  const pattern = new RegExp(
    `("(?:[^"]+|"")*"?[^${separator}\\r\\n]*|[^${separator}\\r\\n]*)(${separator}|\\r\\n|\\r|\\n|$)`,
    "g",
  );
  for (const [whole, cell = "", end = ""] of text.matchAll(pattern)) {
    if (whole === "") break;
    cells.push(parseCell(cell));
    if (end !== "" && end !== "\r\n" && end !== "\r" && end !== "\n") continue;
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

/** Escapes a separator for a regular expression. */
function escapeSeparator(separator: string): string {
  return /[\\\]^|.$*+?(){}[-]/.test(separator) ? `\\${separator}` : separator;
}

/**
 * Detects the separator by the first rows: the one with the most cells in a row, where as many rows as possible have the same number of them.
 * What is in quotation marks does not count.
 */
function detectSeparator(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .replace(/"(?:[^"]|"")*"/g, "")
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, 20);
  const [first = ""] = lines;
  const scores = [",", ";", "\t", "|"].map((separator) => {
    const count = first.split(separator).length - 1;
    const alike = lines.filter((line) => line.split(separator).length - 1 === count).length;
    return { separator, score: count === 0 ? 0 : alike / lines.length + count / 1_000 };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best)).separator;
}
