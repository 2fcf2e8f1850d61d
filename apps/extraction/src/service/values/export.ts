import { ExportFormat } from "@switchyard/contracts/switchyard/extraction/v1/values";
import { toCell, toCells } from "../../domain/rows/cells.ts";
import type { Cell } from "../../domain/rows/cells.ts";
import { toSeparatedLine } from "../../domain/rows/separated-values.ts";
import { sheetEnd, sheetLimits, sheetPath, sheetStart, toSheetRow, toWorkbook } from "../../domain/rows/spreadsheet.ts";
import type { FileRow } from "./rows.ts";
import { writeZip } from "./zip.ts";
import type { ZipEntry } from "./zip.ts";

/** The rows to export, and the table that they are from. */
export interface ExportedTable {
  /** The slug of the table. */
  readonly table: string;
  /** The slugs of its columns, in their order. */
  readonly columns: readonly string[];
  readonly rows: AsyncIterable<FileRow>;
}

/** A format of exported rows. */
export interface Format {
  readonly contentType: string;
  readonly extension: string;
  /** Writes rows piece by piece. It reads the next rows only when the previous pieces were taken. */
  write(table: ExportedTable): AsyncIterable<Uint8Array>;
}

/** The size of a piece, in characters. */
const pieceLength = 64 * 1024;
/** The size of the XML of a sheet after which a further sheet begins, in characters. */
const maxSheetLength = 2 ** 30;

const separatedValues: Format = {
  contentType: "text/csv; charset=utf-8",
  extension: "csv",
  write: (table) => toPieces(csvLines(table)),
};
const lines: Format = {
  contentType: "application/x-ndjson",
  extension: "jsonl",
  write: ({ rows }) => toPieces(jsonLines(rows)),
};
const workbook: Format = {
  contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  extension: "xlsx",
  write: (table) => writeZip(workbookEntries(table)),
};

/** Returns a format, which is CSV by default. */
export function getFormat(format: ExportFormat): Format {
  switch (format) {
    case ExportFormat.JSONL:
      return lines;
    case ExportFormat.XLSX:
      return workbook;
    default:
      return separatedValues;
  }
}

async function* csvLines({ columns, rows }: ExportedTable): AsyncGenerator<string, void> {
  yield toSeparatedLine(headings(columns));
  for await (const row of rows) yield toSeparatedLine(exportedCells(row, columns));
}

async function* jsonLines(rows: AsyncIterable<FileRow>): AsyncGenerator<string, void> {
  for await (const { file, number, row } of rows) {
    const values = Object.entries(row.values).map(([slug, value]) => [slug, toCell(value)] as const);
    const item = {
      fileId: file.fileId,
      filename: file.filename,
      extractionId: file.extraction?.id ?? null,
      row: number,
      values: Object.fromEntries(values),
      confidence: file.extraction === null ? null : row.confidence,
      accepted: file.accepted,
      createdAt: file.fileCreatedAt.toISOString(),
    };
    yield `${JSON.stringify(item)}\n`;
  }
}

/** Yields the entries of a workbook. The archive reads each sheet to its end before the next entry. */
async function* workbookEntries({ table, columns, rows }: ExportedTable): AsyncGenerator<ZipEntry, void> {
  const source = rows[Symbol.asyncIterator]();
  let sheets = 0;
  try {
    let next = await source.next();
    const sheetLines = async function* (): AsyncGenerator<string, void> {
      yield sheetStart;
      const first = toSheetRow(headings(columns), 1);
      yield first;
      let length = first.length;
      for (let count = 1; next.done !== true && count < sheetLimits.rows && length < maxSheetLength; count += 1) {
        const line = toSheetRow(exportedCells(next.value, columns), count + 1);
        length += line.length;
        yield line;
        next = await source.next();
      }
      yield sheetEnd;
    };
    do {
      yield { path: sheetPath(sheets), bytes: toPieces(sheetLines()) };
      sheets += 1;
    } while (next.done !== true);
  } finally {
    await source.return?.();
  }
  for (const { path, xml } of toWorkbook(table, sheets)) yield { path, bytes: [Buffer.from(xml)] };
}

function headings(columns: readonly string[]): string[] {
  return ["fileId", "filename", "row", ...columns];
}

function exportedCells({ file, number, row }: FileRow, columns: readonly string[]): Cell[] {
  return [file.fileId, file.filename, number, ...toCells(row, columns)];
}

/** Joins texts to pieces of UTF-8. There is at least one, which may be empty, because the type of the content comes with it. */
async function* toPieces(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array, void> {
  let piece: string[] = [];
  let length = 0;
  let isEmpty = true;
  for await (const text of texts) {
    piece.push(text);
    length += text.length;
    if (length < pieceLength) continue;
    yield Buffer.from(piece.join(""));
    isEmpty = false;
    piece = [];
    length = 0;
  }
  if (isEmpty || piece.length > 0) yield Buffer.from(piece.join(""));
}
