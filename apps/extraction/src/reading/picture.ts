import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { fewCharacters, fewPixels } from "./limits.ts";
import type { Budget } from "./limits.ts";
import { createProblemReading } from "./reading.ts";
import type { Problem, ReadContext, Reading, ReadPage, Source } from "./reading.ts";
import { detectPictureFormat } from "./recognition/picture/format.ts";
import { findProblem, readSize } from "./recognition/picture/header.ts";
import type { PagePicture } from "./recognition/picture/page-picture.ts";
import { isTiff, openTiff } from "./recognition/picture/tiff/directory.ts";
import { describePage, findPages } from "./recognition/picture/tiff/page.ts";

/** Whether pages have so little text that the pictures beside it are read, if pictures are read at all. */
export function hasLittleText(pages: readonly ReadPage[], { limits }: Budget): boolean {
  if (limits.maxPictures === 0) return false;
  let characters = 0;
  for (const { text } of pages.flatMap(({ lines }) => lines)) {
    characters += text.replace(/\s/g, "").length;
    if (characters >= fewCharacters) return false;
  }
  return true;
}

/** Whether bytes are a picture that is read, and that is larger than logos and lines. */
export function isLargePicture(bytes: Uint8Array): boolean {
  if (isTiff(bytes)) return true;
  const format = detectPictureFormat(bytes);
  const size = format && readSize(bytes, format);
  return size !== undefined && size.width * size.height >= fewPixels;
}

/** Creates the result for a picture, as a document of pages whose text is still to be recognized. Its headers are checked. */
export function createPictureReading(
  { bytes }: Pick<Source, "bytes">,
  { budget }: Pick<ReadContext, "budget">,
): Reading {
  if (isTiff(bytes)) return createTiffReading(bytes, budget);
  const format = detectPictureFormat(bytes);
  const problem = format === undefined ? damaged.message : findProblem(bytes, format);
  if (format === undefined || problem !== undefined) {
    return createProblemReading(ReadProblem.UNREADABLE_FILE, problem ?? "");
  }
  // An attachment that is left out because of a limit has an empty page.
  const taken = budget.takePage() && budget.takePicture();
  return { pages: [createPage(taken ? { kind: "file", format, bytes } : undefined)], formValues: [], warnings: [] };
}

/** Creates the result for a TIFF. A page that cannot be read is left out; if there is no other, the result contains the problem. */
function createTiffReading(bytes: Uint8Array, budget: Budget): Reading {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const file = openTiff(bytes);
  const pages: ReadPage[] = [];
  const problems: { number: number; problem: Problem }[] = [];
  for (const directory of findPages(file)) {
    if (!budget.takePage()) break;
    const number = pages.length + 1;
    const { problem } = describePage(directory, file);
    if (problem !== undefined) problems.push({ number, problem });
    const taken = problem === undefined && budget.takePicture();
    pages.push(createPage(taken ? { kind: "tiff", bytes: shared, number } : undefined));
  }
  if (pages.length === problems.length) {
    const { code, message } = problems[0]?.problem ?? damaged;
    return createProblemReading(code, message);
  }
  for (const { number, problem } of problems) {
    budget.recordOmission(`Page ${number} of the TIFF was left out. ${problem.message}`);
  }
  return { pages, formValues: [], warnings: [] };
}

const damaged: Problem = { code: ReadProblem.UNREADABLE_FILE, message: "The picture is damaged." };

function createPage(picture: PagePicture | undefined): ReadPage {
  return { width: 0, height: 0, lines: [], source: TextSource.OCR, attachment: "", ...(picture && { picture }) };
}
