import { getDocument } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { PDFDocumentProxy, PDFPageProxy } from "pdfjs-dist";
import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { findZeroWidth } from "../hidden.ts";
import { fewCharacters } from "../limits.ts";
import type { Budget } from "../limits.ts";
import { takeLines } from "../lines.ts";
import { drawScan } from "./drawing.ts";
import { createLook } from "./hidden/look.ts";
import type { Look } from "./hidden/look.ts";
import { hasSigns } from "./hidden/signs.ts";
import { toField } from "./forms.ts";
import type { FilledField, Rectangle } from "./forms.ts";
import type { AttachedInvoice } from "../xml/xml.ts";
import { groupRunsIntoLines } from "./lines.ts";
import { getPdfSettings } from "./settings.ts";
import { createStopwatch } from "./stopwatch.ts";
import type { Run } from "./words.ts";
import { createProblemReading, isEmptyPage } from "../reading.ts";
import type { ReadContext, ReadFormValue, Reading, ReadLine, ReadPage, Source } from "../reading.ts";
import type { Picture } from "../recognition/picture/picture.ts";

/**
 * Reads a PDF: words with their boxes, and form values both separately and at their positions in the lines. A page that cannot be read is
 * empty, with a warning. Never fails: if the PDF is encrypted or damaged, the result contains the problem.
 */
export async function readPdf(source: Source, context: ReadContext): Promise<Reading> {
  // Checked first, because the bytes are transferred.
  const whole = hasEnd(source.bytes);
  const signs = hasSigns(source.bytes);
  const pictures = context.budget.limits.maxPictures > 0 && mayHavePictures(source.bytes);
  const task = getDocument({ data: source.bytes, ...getPdfSettings() });
  try {
    const pdf = await task.promise;
    const reading = await readPages(pdf, { whole, pictures, signs }, context.budget);
    const { invoice, warnings } = await readInvoiceOf(pdf, context);
    const allWarnings = [...reading.warnings, ...warnings];
    if (invoice === undefined) return { ...reading, warnings: allWarnings };
    const pages = reading.pages.every(isEmptyPage) ? [...reading.pages, ...invoice.render()] : reading.pages;
    return { pages, formValues: reading.formValues, warnings: allWarnings, facts: invoice.facts };
  } catch (error) {
    return error instanceof Error && error.name === "PasswordException"
      ? createProblemReading(ReadProblem.ENCRYPTED_FILE, "The PDF is encrypted and needs a password.")
      : createProblemReading(ReadProblem.UNREADABLE_FILE, "The PDF is damaged.", [`pdf: ${getMessage(error)}`]);
  } finally {
    await task.destroy();
  }
}

/** Reads the electronic invoice that is attached to a PDF (Factur-X, ZUGFeRD, XRechnung). PDFs without attachments cost nothing. */
async function readInvoiceOf(
  pdf: PDFDocumentProxy,
  context: ReadContext,
): Promise<{ invoice?: AttachedInvoice; warnings: readonly string[] }> {
  const warnings: string[] = [];
  try {
    for (const [id, { filename }] of (await pdf.getAttachments()) ?? []) {
      if (!/\.xml$/i.test(filename)) continue;
      const bytes = await pdf.getAttachmentContent(id);
      if (!(bytes instanceof Uint8Array)) continue;
      const { readAttachedInvoice } = await import("../xml/xml.ts");
      const found = readAttachedInvoice({ bytes, filename, contentType: "application/xml" }, context);
      if (found !== undefined && "facts" in found) return { invoice: found, warnings };
      if (found !== undefined) warnings.push(found.warning);
    }
  } catch (error) {
    warnings.push(`attachments cannot be read: ${getMessage(error)}`);
  }
  return { warnings };
}

/** What the bytes of a PDF show: whether it is complete, and whether it may contain pictures and hidden text. */
interface Appearance {
  readonly whole: boolean;
  readonly pictures: boolean;
  readonly signs: boolean;
}

async function readPages(
  pdf: PDFDocumentProxy,
  { whole, pictures, signs }: Appearance,
  budget: Budget,
): Promise<Reading> {
  const pages: ReadPage[] = [];
  const formValues: ReadFormValue[] = [];
  const warnings: string[] = [];
  const layers: number[] = [];
  const tools = { draw: pictures ? createDrawing(budget) : undefined, look: createLook(pdf, signs, budget) };
  for (let number = 1; number <= pdf.numPages && budget.hasRoom() && budget.takePage(); number++) {
    try {
      const { page, fields, isLayer } = await readPage(await pdf.getPage(number), budget, tools);
      pages.push(page);
      if (isLayer) layers.push(number);
      for (const field of fields) formValues.push({ ...field, page: pages.length });
    } catch (error) {
      warnings.push(`page ${number} cannot be read: ${getMessage(error)}`);
      pages.push({ width: 0, height: 0, lines: [], source: TextSource.TEXT, attachment: "" });
    }
  }
  await addPicturesOfLayers(pdf, pages, layers, tools.draw);
  const empty = pages.filter(isEmptyPage).length;
  if (empty === pages.length && (warnings.length > 0 || pages.length === 0 || !whole)) {
    return createProblemReading(ReadProblem.UNREADABLE_FILE, "The PDF is damaged.", warnings);
  }
  if (empty > 0) warnings.push(`${empty} of ${pages.length} pages have no text; they may be images`);
  return { pages, formValues, warnings };
}

/**
 * Draws the pages whose text is the text layer of a scan, as far as pages without text leave pictures for them, so that the text can be compared
 * with the picture.
 */
async function addPicturesOfLayers(
  pdf: PDFDocumentProxy,
  pages: ReadPage[],
  layers: readonly number[],
  draw: PageTools["draw"],
): Promise<void> {
  for (const number of draw === undefined ? [] : layers) {
    const page = await pdf.getPage(number);
    const drawn = await draw?.(page, []).catch(() => undefined);
    page.cleanup();
    const read = pages[number - 1];
    if (drawn === undefined || read === undefined) return;
    pages[number - 1] = { ...read, picture: { kind: "drawn", picture: drawn }, isLayer: true };
  }
}

/** What is used for every page: a function that draws scans, unless there are none, and one that looks for hidden text. */
interface PageTools {
  readonly draw: ReturnType<typeof createDrawing> | undefined;
  readonly look: Look;
}

async function readPage(
  page: PDFPageProxy,
  budget: Budget,
  { draw, look }: PageTools,
): Promise<{ page: ReadPage; isLayer: boolean; fields: Omit<ReadFormValue, "page">[] }> {
  const viewport = page.getViewport({ scale: 1 });
  const size = { width: viewport.width, height: viewport.height };
  const given = await readRuns(page, viewport.transform, budget.charactersLeft());
  const fields = await readFields(page, (rectangle) => onPage(rectangle, viewport.transform));
  const { runs, fields: filled, hidden, isLayer } = await look(page, { runs: given, fields });
  const lines = takeLines(groupRunsIntoLines([...runs, ...filled.flatMap((field) => field.runs)], size), budget);
  const allHidden = [...hidden, ...findZeroWidth(runs.map(({ text }) => text).join(" "))];
  const drawn = await draw?.(page, lines);
  page.cleanup();
  const form = filled.length > 0 && !runs.some((run) => run.text.trim() !== "");
  return {
    page: {
      ...size,
      lines,
      source: form ? TextSource.FORM : TextSource.TEXT,
      attachment: "",
      ...(allHidden.length > 0 && { hidden: allHidden }),
      ...(drawn && { picture: { kind: "drawn", picture: drawn } }),
      ...(drawn && isLayer && lines.length > 0 && { isLayer }),
    },
    isLayer: isLayer && drawn === undefined && lines.length > 0,
    fields: filled
      .filter((field) => field.name !== "")
      .map(({ name, value, rectangle }) => ({ name, value, box: fractions(rectangle, size) })),
  };
}

/** Creates the function that draws the pages of a PDF that have little text and a picture, within limits. */
function createDrawing(budget: Budget) {
  const stopwatch = createStopwatch();
  return async (page: PDFPageProxy, lines: readonly ReadLine[]): Promise<Picture | undefined> => {
    const characters = lines.reduce((sum, line) => sum + line.text.replace(/\s/g, "").length, 0);
    if (characters >= fewCharacters) return undefined;
    if (stopwatch.spentMs > drawingMs) {
      budget.recordOmission(
        `The pictures from page ${page.pageNumber} on were left out, because drawing them takes too long.`,
      );
      return undefined;
    }
    return stopwatch.measure(() => drawScan(page, () => budget.takePicture()));
  };
}

/** The processor time after which no further page is drawn, in milliseconds, so that the rest of the document can be read in time. */
const drawingMs = 10_000;

/** Returns the runs of a page, up to slightly more than a number of characters. */
async function readRuns(page: PDFPageProxy, transform: readonly number[], characters: number): Promise<Run[]> {
  const runs: Run[] = [];
  const reader = (
    page.streamTextContent({ includeMarkedContent: false }) as ReadableStream<{ items: unknown[] }>
  ).getReader();
  for (let left = characters; left >= 0;) {
    const { done, value } = await reader.read();
    if (done) return runs;
    for (const item of value.items as TextItem[]) {
      left -= item.str.length;
      if (item.str !== "") runs.push(toRun(item, transform));
    }
  }
  await reader.cancel(new Error("enough text"));
  return runs;
}

/** A text of a page, as pdf.js returns it. Its words are in the order in which they are read. */
interface TextItem {
  readonly str: string;
  readonly dir: string;
  readonly transform: readonly number[];
  readonly width: number;
}

function toRun(item: TextItem, transform: readonly number[]): Run {
  const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = item.transform;
  const turn = [...transform.slice(0, 4), 0, 0];
  const along = pointOn(a, b, turn);
  const up = pointOn(c, d, turn);
  return {
    text: item.str,
    ...pointOn(x, y, transform),
    width: item.width * Math.hypot(transform[0] ?? 1, transform[1] ?? 0),
    height: Math.hypot(up.x, up.y) || 1,
    angle: (Math.atan2(along.y, along.x) * 180) / Math.PI,
    isRightToLeft: item.dir === "rtl",
  };
}

async function readFields(
  page: PDFPageProxy,
  toPage: (rectangle: readonly number[]) => Rectangle,
): Promise<FilledField[]> {
  const annotations = (await page.getAnnotations({ intent: "display" })) as Record<string, unknown>[];
  return annotations.flatMap((annotation) => toField(annotation, toPage) ?? []);
}

/** Converts a rectangle in the PDF's coordinates (two corners) to the page as it is displayed. */
function onPage(corners: readonly number[], transform: readonly number[]): Rectangle {
  const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = corners;
  const first = pointOn(x1, y1, transform);
  const second = pointOn(x2, y2, transform);
  return {
    x: Math.min(first.x, second.x),
    y: Math.min(first.y, second.y),
    width: Math.abs(first.x - second.x),
    height: Math.abs(first.y - second.y),
  };
}

function pointOn(
  x: number,
  y: number,
  [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]: readonly number[],
): { x: number; y: number } {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}

function fractions(rectangle: Rectangle, size: { width: number; height: number }): Rectangle {
  const within = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100_000) / 100_000;
  const x = within(rectangle.x / size.width);
  const y = within(rectangle.y / size.height);
  return {
    x,
    y,
    width: within((rectangle.x + rectangle.width) / size.width - x),
    height: within((rectangle.y + rectangle.height) / size.height - y),
  };
}

/** Whether a PDF may contain pictures. Their dictionaries are never compressed. */
function mayHavePictures(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("/Image");
}

/** Whether a PDF has its end marker, which a truncated one lacks. */
function hasEnd(bytes: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes.subarray(-2048)).includes("%%EOF");
}

function getMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
