import { useCall } from "../../api/queries.ts";

/** The extractions on the review list of a project, as far as one page of it goes. */
export interface ReviewList {
  readonly extractionIds: ReadonlySet<string>;
  readonly isComplete: boolean;
}

/** The extractions that a person should look at. */
export function useReviewList(projectId: string): ReviewList {
  const { data } = useCall("listReview", { projectId, kind: "EXTRACTION", limit: 500 });
  const ids = (data?.data ?? []).flatMap(({ extractionId }) => extractionId ?? []);
  return { extractionIds: new Set(ids), isComplete: data !== undefined && data.nextPageToken === null };
}
