import { ExtractionReviewService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { ReviewThresholdService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review_thresholds";
import { register } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import type { Sweep } from "@switchyard/storage";
import type { CurrentValuesStore } from "../../store/values/current-values.ts";
import { createReviewReevaluation } from "./review-reevaluation.ts";
import type { ReviewReevaluationDependencies } from "./review-reevaluation.ts";
import { createReviewThresholdMethods } from "./review-thresholds.ts";
import type { ReviewThresholdDependencies } from "./review-thresholds.ts";
import { createReviewMethods } from "./review.ts";

/** The dependencies of the services. */
export type ReviewServiceDependencies = ReviewReevaluationDependencies &
  Omit<ReviewThresholdDependencies, "reevaluation"> & { currentValues: CurrentValuesStore };

/** Creates the services of the review list, and the work that lets it follow review policies. */
export function createReviewServices(dependencies: ReviewServiceDependencies): {
  registrations: ServiceRegistration[];
  reevaluation: Sweep;
} {
  const reevaluation = createReviewReevaluation(dependencies);
  return {
    reevaluation,
    registrations: [
      register(ExtractionReviewService, createReviewMethods(dependencies)),
      register(ReviewThresholdService, createReviewThresholdMethods({ ...dependencies, reevaluation })),
    ],
  };
}
