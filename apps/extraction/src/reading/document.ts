import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { LIMITS } from "../domain/layout/layout.ts";
import { readEmail } from "./text/email.ts";
import { boundHidden } from "./hidden.ts";
import { readHtml } from "./html/html.ts";
import { createBudget } from "./limits.ts";
import type { ReadLimits } from "./limits.ts";
import type { OfficeFormat } from "./office/office.ts";
import { readPdf } from "./pdf/pdf.ts";
import { createPictureReading } from "./picture.ts";
import { readPlain } from "./text/plain.ts";
import { createProblemReading, isEmptyPage } from "./reading.ts";
import type { ReadContext, Reading, Source } from "./reading.ts";
import { readRtf } from "./text/rtf.ts";
import { detectType } from "./type-detection.ts";
import type { Format } from "./detected-type.ts";
import { readTable } from "./text/table.ts";

/** The type of a document and the result of reading it. */
export interface ReadDocument extends Reading {
  readonly contentType: string;
  /** The parts that were not read because of a limit, as sentences. */
  readonly omissions: readonly string[];
  /** A sentence if the document contains text that people cannot see. */
  readonly hiddenText: string | undefined;
}

/**
 * Reads a document of any format with its attachments, within limits. Never throws: if the document cannot be read, the result contains the
 * problem.
 */
export async function readDocument(source: Source, limits: ReadLimits): Promise<ReadDocument> {
  const budget = createBudget(limits);
  const { contentType, ...reading } = await readPart(source, { budget, depth: 0 });
  const { pages, sentence } = boundHidden(reading.pages);
  return {
    ...reading,
    pages,
    hiddenText: sentence,
    contentType,
    omissions: [...budget.omissions(), ...getExtractionOmissions(reading)],
  };
}

/** Describes the part of a document from which no values are extracted; empty if there is none. */
function getExtractionOmissions({ pages }: Reading): string[] {
  const lines = pages.flatMap((page) => page.lines);
  const characters = lines.reduce((sum, line) => sum + line.text.length + 1, 0);
  if (lines.length <= LIMITS.lines && characters <= LIMITS.characters) return [];
  return [`Values are extracted from the first ${LIMITS.characters} characters and ${LIMITS.lines} lines only.`];
}

const formatReaders: Record<Format, (source: Source, context: ReadContext) => Reading | Promise<Reading>> = {
  pdf: readPdf,
  email: (source, context) => readEmail(source, context, readPart),
  html: readHtml,
  rtf: readRtf,
  table: readTable,
  text: readPlain,
  // Loaded with the first such document.
  xml: async (source, context) => (await import("./xml/xml.ts")).readXml(source, context),
  docx: loadOffice("docx"),
  xlsx: loadOffice("xlsx"),
  pptx: loadOffice("pptx"),
  odt: loadOffice("odt"),
  ods: loadOffice("ods"),
  picture: createPictureReading,
};

function loadOffice(format: OfficeFormat): (source: Source, context: ReadContext) => Promise<Reading> {
  return async (source, context) => (await import("./office/office.ts")).readOffice(format, source, context, readPart);
}

async function readPart(source: Source, context: ReadContext): Promise<Omit<ReadDocument, "omissions" | "hiddenText">> {
  const { format, contentType, problem: unread } = await detectType(source);
  if (unread !== undefined) return { ...createProblemReading(unread.code, unread.message), contentType };
  if (format === undefined || (format === "picture" && context.budget.limits.maxPictures === 0)) {
    const message = `Documents of type ${contentType} are not read.`;
    return { ...createProblemReading(ReadProblem.UNSUPPORTED_FORMAT, message), contentType };
  }
  let reading: Reading;
  try {
    reading = await formatReaders[format](source, context);
  } catch (error) {
    // For example a stack overflow in deeply nested markup.
    const cause = error instanceof Error ? error.message : String(error);
    return { ...createProblemReading(ReadProblem.UNREADABLE_FILE, "The document is damaged.", [cause]), contentType };
  }
  const empty = reading.pages.every(isEmptyPage) && context.budget.charactersLeft() > 0;
  if (empty && reading.problem === undefined) {
    const problem = { code: ReadProblem.EMPTY_DOCUMENT, message: "There is no text in the document." };
    return { ...reading, problem, contentType };
  }
  return { ...reading, contentType };
}
