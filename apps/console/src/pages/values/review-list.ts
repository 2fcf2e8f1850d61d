import type { ValueRow } from "@switchyard/client";
import { useEffect } from "react";
import { firstRequests } from "../../api/first-requests.ts";
import { useItems } from "../../api/queries.ts";
import { isNewer } from "./filters.ts";
import type { Selection } from "./filters.ts";

/** The rows that need a review, as far as they are known. */
export interface ReviewList {
  readonly items: readonly ValueRow[];
  readonly isComplete: boolean;
}

/** The rows of a selection that need a review, down to the last one of those that are shown. Not needed if the selection has a status. */
export function useReviewList(selection: Selection, shown: readonly ValueRow[]): ReviewList {
  const enabled = selection.status === undefined;
  const { items, query } = useItems(...firstRequests.valuesToReview(selection), { enabled });
  const { hasNextPage, isFetching, fetchNextPage } = query;
  const [last, lastShown] = [items.at(-1), shown.at(-1)];
  // These are a part of what is shown, so they are no more pages than that.
  const isShort = last !== undefined && lastShown !== undefined && !isNewer(lastShown, last);
  useEffect(() => {
    if (isShort && hasNextPage && !isFetching) void fetchNextPage();
  }, [isShort, hasNextPage, isFetching, fetchNextPage]);
  return { items, isComplete: query.isSuccess && !hasNextPage };
}
