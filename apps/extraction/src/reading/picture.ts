import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createProblemReading } from "./reading.ts";
import type { ReadContext, Reading, Source } from "./reading.ts";
import { detectPictureFormat, findProblem } from "./recognition/picture/header.ts";

/** Creates the result for a picture, as a document of one page whose text is still to be recognized. Its header is checked. */
export function createPictureReading({ bytes }: Source, { budget }: ReadContext): Reading {
  const format = detectPictureFormat(bytes);
  const problem = format === undefined ? "The picture is damaged." : findProblem(bytes, format);
  if (format === undefined || problem !== undefined) {
    return createProblemReading(ReadProblem.UNREADABLE_FILE, problem ?? "");
  }
  // An attachment that is left out because of a limit has an empty page.
  const taken = budget.takePage() && budget.takePicture();
  const picture = { kind: "file", format, bytes } as const;
  const page = { width: 0, height: 0, lines: [], source: TextSource.OCR, attachment: "", ...(taken && { picture }) };
  return { pages: [page], formValues: [], warnings: [] };
}
