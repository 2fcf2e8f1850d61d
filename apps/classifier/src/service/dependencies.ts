import type { Client } from "@connectrpc/connect";
import type { TargetService } from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import type { DocumentService } from "@switchyard/contracts/switchyard/extraction/internal/v1/documents";
import type { ExtractionReviewService } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import type { IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import type { Engines } from "@switchyard/engines";
import type { Logger } from "@switchyard/rpc";
import type { PageTokens, QuotaLookup, Sweep } from "@switchyard/storage";
import type { ClassificationStore } from "../store/classifications.ts";
import type { ClassifierStore } from "../store/classifiers.ts";
import type { PlacedMarks } from "../store/placed-marks.ts";
import type { ReviewedDocuments } from "../store/reviews/reviewed-documents.ts";
import type { ReviewStore } from "../store/reviews/reviews.ts";
import type { Learning } from "./learning/learning.ts";
import type { Scorers } from "./classifications/scorers.ts";
import type { EngineChoice } from "./engines/engine-choice.ts";

/** The dependencies of the RPCs of the classifier service. */
export interface Dependencies {
  classifiers: ClassifierStore;
  classifications: ClassificationStore;
  reviews: ReviewStore;
  reviewedDocuments: ReviewedDocuments;
  learning: Pick<Learning, "learnFrom">;
  placedMarks: PlacedMarks;
  /** The sweep that completes placements, touched by every new one. */
  placementSweep: Pick<Sweep, "touch">;
  targets: Client<typeof TargetService>;
  projects: Client<typeof IdentityLookupService>;
  quotas: QuotaLookup;
  documents: Client<typeof DocumentService>;
  extractionReviews: Client<typeof ExtractionReviewService>;
  scorers: Scorers;
  /** The engines that decide documents. */
  engineChoice: EngineChoice;
  /** The engines that classifiers may name besides the local one. */
  engines: Pick<Engines, "find">;
  pageTokens: PageTokens;
  now: () => Date;
  /** Called with an error that does not fail the request, because the sweep retries the work. */
  onDeferred: (error: unknown) => void;
  logger: Pick<Logger, "error" | "warn">;
}
