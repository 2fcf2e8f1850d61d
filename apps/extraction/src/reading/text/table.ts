import { getCharset, decodeText } from "../decoding.ts";
import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { columnName, placeRows } from "../grid.ts";
import { findZeroWidth } from "../hidden.ts";
import { takeLines } from "../lines.ts";
import { createReading } from "../reading.ts";
import type { ReadContext, Reading, Source } from "../reading.ts";

/**
 * Reads separated values: each row becomes a line with its cells separated by tabs, and the cells of a column are below each other. Cells have
 * the names that they have in a spreadsheet. Never fails.
 */
export function readTable(source: Source, context: ReadContext): Reading {
  // Enough for the budget to detect that there is more, but no more than fits into memory as cells.
  const maxLength = 4 * context.budget.charactersLeft() + 1000;
  const text = decodeText(source.bytes, getCharset(source.contentType)).slice(0, maxLength);
  const rows = parseRows(text);
  const { budget } = context;
  if (!budget.takePage()) return createReading([]);
  const placed = rows.map((cells, row) => ({
    table: 0,
    cells: cells.flatMap((cell, column) =>
      cell === "" ? [] : [{ column, text: cell, name: `${columnName(column)}${row + 1}` }],
    ),
  }));
  const { pages, ...reading } = createReading([takeLines(placeRows(placed), budget)]);
  const hidden = findZeroWidth(text);
  return {
    ...reading,
    pages: pages.map((page) => ({ ...page, source: TextSource.CELL, ...(hidden.length > 0 && { hidden }) })),
  };
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
 * Detects the separator by the first rows: the one that the most of them contain the same number of times, and if several do, the one that
 * occurs more often. What is in quotation marks does not count.
 */
function detectSeparator(text: string): string {
  const lines = text
    .slice(0, 20_000)
    .replace(/"(?:[^"]|"")*"/g, "")
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== "")
    .slice(0, 20);
  const scores = [",", ";", "\t", "|"].map((separator) => {
    const counts = new Map<number, number>();
    for (const line of lines) {
      const count = line.split(separator).length - 1;
      if (count > 0) counts.set(count, (counts.get(count) ?? 0) + 1);
    }
    const scored = [...counts].map(([count, alike]) => alike / lines.length + count / 1_000);
    return { separator, score: Math.max(0, ...scored) };
  });
  return scores.reduce((best, next) => (next.score > best.score ? next : best)).separator;
}
