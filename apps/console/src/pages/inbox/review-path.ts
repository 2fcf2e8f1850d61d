import type { ReviewItem } from "@switchyard/client";

/** The address of the review of an item, below the inbox. */
export function reviewPath(item: Pick<ReviewItem, "classifierId" | "classificationId" | "extractionId">): string {
  return item.classificationId === null
    ? `/extractions/${item.extractionId}`
    : `/classifications/${item.classifierId}/${item.classificationId}`;
}
