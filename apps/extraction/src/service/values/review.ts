import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ExtractionForReviewSchema,
  ListExtractionsForReviewResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import type { ExtractionReviewService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { invalid } from "@switchyard/rpc";
import type { CurrentValuesStore } from "../../store/values/current-values.ts";

/** The maximum size of a page of the API and one more, which shows whether another page follows. */
const maxLimit = 501;

/** Creates the methods of the review list for other services. */
export function createReviewMethods({
  currentValues,
}: {
  currentValues: CurrentValuesStore;
}): ServiceImpl<typeof ExtractionReviewService> {
  return {
    async listExtractionsForReview({ projectId, limit, after }) {
      if (projectId === "") throw invalid([{ field: "projectId", message: "is required" }]);
      if (limit < 1 || limit > maxLimit) throw invalid([{ field: "limit", message: `must be 1 to ${maxLimit}` }]);
      const found = await currentValues.listReviews({ projectId, limit, after: after === "" ? undefined : after });
      return create(ListExtractionsForReviewResponseSchema, {
        extractions: found.map(({ review, createdAt, ...each }) =>
          create(ExtractionForReviewSchema, {
            ...each,
            reason: review.reason,
            message: review.message,
            ...(review.confidence === null ? {} : { confidence: review.confidence }),
            urgency: review.urgency,
            createdAt: timestampFromDate(createdAt),
          }),
        ),
      });
    },
  };
}
