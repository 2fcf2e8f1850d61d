import type { ClassificationReason } from "@switchyard/contracts/reasons";
import type { Decision } from "../decision/decision.ts";

/** Why a person should look at a record. */
export interface ReviewNeed {
  /** How useful a review is, from 1 to 100. The review list is ordered by it. */
  readonly rank: number;
  readonly code: string;
  /** An explanation for people. */
  readonly message: string;
}

/** The ranks of records that were not routed. A choice between two routes teaches the most, and a damaged file nothing. */
const ranks: Readonly<Record<ClassificationReason, number>> = {
  AMBIGUOUS: 90,
  BELOW_THRESHOLD: 80,
  NO_MATCH: 60,
  NO_ACTIVE_ROUTE: 30,
  NO_ROUTES: 30,
  // A person can often read what the recognizer could not.
  LOW_OCR_QUALITY: 20,
  EMPTY_DOCUMENT: 10,
  UNSUPPORTED_FORMAT: 10,
  UNREADABLE_FILE: 10,
  ENCRYPTED_FILE: 10,
};
const nearThresholdRank = 50;

/** The distance from the threshold within which a decision is uncertain. */
export const NEAR_THRESHOLD = 0.05;

/**
 * Returns why a person should look at a record: the document was not routed, or the confidence in its route is at most
 * {@link NEAR_THRESHOLD} above the threshold. Returns null if there is no need.
 */
export function findReviewNeed(decision: Decision): ReviewNeed | null {
  if (decision.status === "UNCLASSIFIED") {
    const { reason, message } = decision;
    return { rank: ranks[reason], code: reason, message };
  }
  const { confidence, threshold } = decision;
  if (confidence > threshold + NEAR_THRESHOLD) return null;
  const message = `The confidence ${confidence.toFixed(2)} is close to the threshold ${threshold.toFixed(2)}.`;
  return { rank: nearThresholdRank, code: "NEAR_THRESHOLD", message };
}
