import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { placeRows, type GridRow } from "../grid.ts";
import { takeLines } from "../lines.ts";
import { createProblemReading, type ReadContext, type Reading, type ReadPage, type Source } from "../reading.ts";
import { ArchiveProblem, openArchive, type Archive } from "./archive.ts";
import { readDocx } from "./docx.ts";
import { isEncrypted, readOds, readOdt } from "./open-document.ts";
import { readPptx } from "./pptx.ts";
import { readWorkbook } from "./workbook.ts";

/** The Office formats. */
export type OfficeFormat = "docx" | "xlsx" | "pptx" | "odt" | "ods";

/**
 * Reads an Office document: each sheet and slide is a page, and the cells of tables are below each other, with their names in sheets. Never fails:
 * for damaged or encrypted documents, and those that exceed the limits of archives, the result contains the problem.
 */
export function readOffice(format: OfficeFormat, { bytes }: Source, context: ReadContext): Reading {
  try {
    const archive = openArchive(bytes);
    if (format.startsWith("od") && isEncrypted(archive))
      return createProblemReading(ReadProblem.ENCRYPTED_FILE, "The document is encrypted and needs a password.");
    return { pages: [...readPages(format, archive, context)], formValues: [], warnings: [] };
  } catch (error) {
    const message = error instanceof ArchiveProblem ? error.message : "The document is damaged.";
    return createProblemReading(ReadProblem.UNREADABLE_FILE, message, [String(error)]);
  }
}

function* readPages(format: OfficeFormat, archive: Archive, { budget }: ReadContext): Generator<ReadPage> {
  // A cell has a character at least.
  const maxCells = budget.charactersLeft();
  const isSheet = format === "xlsx" || format === "ods";
  for (const { name, rows } of readParts(format, archive, maxCells)) {
    if (!budget.hasRoom() || !budget.takePage()) return;
    const lines = takeLines(placeRows(rows), budget);
    const source = isSheet ? TextSource.CELL : TextSource.TEXT;
    yield { width: 0, height: 0, lines, source, attachment: "", ...(isSheet && { sheet: name }) };
  }
}

function readParts(
  format: OfficeFormat,
  archive: Archive,
  maxCells: number,
): Iterable<{ readonly name: string; readonly rows: readonly GridRow[] }> {
  switch (format) {
    case "xlsx":
      return readWorkbook(archive, maxCells);
    case "ods":
      return readOds(archive, maxCells);
    case "pptx":
      return named(readPptx(archive));
    case "docx":
      return named(readDocx(archive));
    case "odt":
      return named(readOdt(archive));
  }
}

function* named(pages: Iterable<GridRow[]>): Generator<{ name: string; rows: GridRow[] }> {
  for (const rows of pages) yield { name: "", rows };
}
