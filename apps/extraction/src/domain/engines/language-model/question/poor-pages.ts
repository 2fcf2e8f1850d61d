import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { Part } from "./parts.ts";

/** Text that was recognized with a lower mean confidence is not relied on alone. Clean scans are above it. */
const RELIABLE = 0.92;
/** The maximum number of pages whose pictures are sent with a question. */
const MAX_PAGES = 3;

/**
 * Returns the pages of a part whose text is poor: recognized in a picture with little confidence. Pages of attachments have no pictures. At most
 * three.
 */
export function findPoorPages(text: DocumentText, { lines }: Part): number[] {
  const pages = new Set(lines.map(({ page }) => page.number));
  return text.pages
    .filter(({ number, source, attachment, confidence = 1 }) => {
      return pages.has(number) && attachment === "" && source === TextSource.OCR && confidence < RELIABLE;
    })
    .map(({ number }) => number)
    .slice(0, MAX_PAGES);
}
