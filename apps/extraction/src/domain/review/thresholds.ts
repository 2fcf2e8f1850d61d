import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedRow } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/** The lowest confidences of values that nobody has to look at, by where they come from. Null means that all have to be looked at. */
export interface ReviewThresholds {
  /** For the document's own text. */
  readonly text: number | null;
  /** For text that was recognized in a picture. */
  readonly ocr: number | null;
}

/** Whether some values need not be looked at. Without any, review is as without thresholds. */
export function isPossible({ text, ocr }: ReviewThresholds): boolean {
  return text !== null || ocr !== null;
}

/**
 * Whether nobody has to look at the value of a column in a row. Confidences are rounded as where thresholds are computed. A value
 * without evidence or with a confidence of 0, which nothing supports, never goes unseen.
 */
export function mayGoUnseen(
  { evidence }: ExtractedRow,
  slug: string,
  confidence: number,
  thresholds: ReviewThresholds,
) {
  if (!Object.hasOwn(evidence, slug)) return false;
  const threshold = evidence[slug]?.source === TextSource.OCR ? thresholds.ocr : thresholds.text;
  return threshold !== null && confidence > 0 && confidence + 1e-9 >= threshold;
}
