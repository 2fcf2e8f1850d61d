import type { ReviewItem } from "@switchyard/client";
import { useLocation } from "wouter";
import { useItems } from "../../api/queries.ts";
import { reviewPath } from "./review-path.ts";

/** Returns the item that follows another one in the list; the first item if the other one is not in it or is the last. */
export function findNext(items: readonly ReviewItem[], id: string): ReviewItem | undefined {
  const isIt = (item: ReviewItem): boolean => item.classificationId === id || item.extractionId === id;
  const position = items.findIndex(isIt);
  return items[position + 1] ?? items.find((item) => !isIt(item));
}

/** Returns a function that opens the next item of the review list, or the list itself after the last one. */
export function useNext(projectId: string, id: string): () => void {
  const { items } = useItems("listReview", { projectId });
  const [, navigate] = useLocation();
  return () => {
    const next = findNext(items, id);
    navigate(next === undefined ? "/" : reviewPath(next));
  };
}
