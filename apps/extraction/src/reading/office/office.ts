import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { boundRows, placeRows, type GridRow } from "../grid.ts";
import { addToFirstPage, findZeroWidth } from "../hidden.ts";
import { addPictures, type IllustratedPage } from "../illustration.ts";
import { takeLines } from "../lines.ts";
import { hasLittleText } from "../picture.ts";
import { createProblemReading, type ReadContext, type ReadHiddenText, type Reading, type Source } from "../reading.ts";
import { ArchiveProblem, openArchive, type Archive } from "./archive.ts";
import { readChunks, type Chunks, type ReadPart } from "./word/chunks.ts";
import { readDocx, type TextDocument } from "./word/docx.ts";
import type { Budget } from "../limits.ts";
import { unpackPicture } from "./pictures.ts";
import { isEncrypted, readOds, readOdt } from "./open-document.ts";
import { readPptx } from "./slides/pptx.ts";
import { readWorkbook } from "./workbook/workbook.ts";

/** The Office formats. */
export type OfficeFormat = "docx" | "xlsx" | "pptx" | "odt" | "ods";

/**
 * Reads an Office document: each sheet and slide is a page, and the cells of tables are below each other, with their names in sheets. Never fails:
 * for damaged or encrypted documents, and those that exceed the limits of archives, the result contains the problem.
 */
export async function readOffice(
  format: OfficeFormat,
  { bytes }: Source,
  context: ReadContext,
  readPart: ReadPart,
): Promise<Reading> {
  try {
    const archive = openArchive(bytes);
    if (format.startsWith("od") && isEncrypted(archive))
      return createProblemReading(ReadProblem.ENCRYPTED_FILE, "The document is encrypted and needs a password.");
    const chunks = format === "docx" ? await readChunks(archive, context, readPart) : undefined;
    const { pages, warnings } = readPages(readParts(format, archive, context.budget.charactersLeft(), chunks), {
      archive,
      budget: context.budget,
      isSheet: format === "xlsx" || format === "ods",
    });
    return { pages, warnings: [...(chunks?.warnings ?? []), ...warnings], formValues: [] };
  } catch (error) {
    const message = error instanceof ArchiveProblem ? error.message : "The document is damaged.";
    return createProblemReading(ReadProblem.UNREADABLE_FILE, message, [String(error)]);
  }
}

/** What the pages of a document are read with. */
interface PageTools {
  readonly archive: Archive;
  readonly budget: Budget;
  readonly isSheet: boolean;
}

function readPages(
  parts: Iterable<Part>,
  { archive, budget, isSheet }: PageTools,
): Pick<Reading, "pages" | "warnings"> {
  const source = isSheet ? TextSource.CELL : TextSource.TEXT;
  const illustrated: IllustratedPage[] = [];
  const apart: ReadHiddenText[] = [];
  for (const { name, rows, hidden, pictures } of parts) {
    if (rows === undefined) {
      if (apart.length < maxHidden) for (const each of hidden) apart.push(each);
      continue;
    }
    if (!budget.hasRoom() || !budget.takePage()) break;
    const kept = boundRows(rows, budget);
    const lines = takeLines(placeRows(kept), budget);
    const texts = kept.flatMap(({ cells }) => cells.map(({ text }) => text));
    const all = [...hidden, ...findZeroWidth(texts.join("\n"))];
    const page = {
      ...{ width: 0, height: 0, lines, source, attachment: "" },
      ...(isSheet && { sheet: name }),
      ...(all.length > 0 && { hidden: all }),
    };
    illustrated.push({ page, pictures });
  }
  const text = illustrated.map(({ page }) => page);
  const { pages, warnings } = hasLittleText(text, budget)
    ? addPictures(illustrated, (name) => unpackPicture(archive, name, budget), budget)
    : { pages: text, warnings: [] };
  // What is hidden as a whole has no page.
  return { pages: addToFirstPage(pages, apart, { width: 0, height: 0, lines: [], source, attachment: "" }), warnings };
}

/** The number of hidden texts after which those of hidden sheets and slides are left out. */
const maxHidden = 1_000;

/** A part of a document that may be a page: its rows, unless it is hidden, and its hidden text. */
interface Part {
  readonly name: string;
  readonly rows: readonly GridRow[] | undefined;
  readonly hidden: readonly ReadHiddenText[];
  /** Returns the names of the pictures that it shows, in their order. */
  readonly pictures: () => readonly string[];
}

/** Reads the parts of a document. A cell has at least one character, so that no more cells are read of a sheet. */
function readParts(
  format: OfficeFormat,
  archive: Archive,
  maxCells: number,
  chunks: Chunks | undefined,
): Iterable<Part> {
  switch (format) {
    case "xlsx":
      return readWorkbook(archive, maxCells);
    case "ods":
      return readOds(archive, maxCells);
    case "pptx":
      return nameSlides(readPptx(archive));
    case "docx":
      return toParts(readDocx(archive, chunks));
    case "odt":
      return toParts(readOdt(archive));
  }
}

function* nameSlides(slides: Iterable<Omit<Part, "name">>): Generator<Part> {
  for (const slide of slides) yield { ...slide, name: "" };
}

/**
 * Converts the pages of a text document. It is not known where its hidden text is, so that is assigned to the first page, and its pictures to
 * the last one.
 */
function toParts({ pages, hidden, pictures }: TextDocument): Part[] {
  return pages.map((rows, index) => ({
    name: "",
    rows,
    hidden: index === 0 ? hidden : [],
    pictures: index === pages.length - 1 ? pictures : () => [],
  }));
}
