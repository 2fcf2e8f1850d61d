import type { ReviewItem } from "@switchyard/client";
import { useLocation } from "wouter";
import { firstRequests } from "../../api/first-requests.ts";
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
  const { items, query } = useItems(...firstRequests.review(projectId));
  const [, navigate] = useLocation();
  const open = (list: readonly ReviewItem[]): void => {
    const next = findNext(list, id);
    navigate(next === undefined ? "/" : reviewPath(next));
  };
  return () => {
    if (!query.isPending) return open(items);
    // A caller who is faster than the list waits for it.
    void query
      .refetch({ cancelRefetch: false })
      .then(({ data }) => open(data?.pages.flatMap((page) => page.data) ?? []));
  };
}
