import { ExclusionReason, ReasonCode } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";

/** The exclusion reasons of the contract, by the names that the domain uses. */
export const exclusionReasons = {
  TARGET_DELETED: ExclusionReason.TARGET_DELETED,
  ROUTE_DISABLED: ExclusionReason.ROUTE_DISABLED,
  DEPLOYMENT_PAUSED: ExclusionReason.DEPLOYMENT_PAUSED,
  MODEL_PAUSED: ExclusionReason.MODEL_PAUSED,
  SCHEMA_MISSING: ExclusionReason.SCHEMA_MISSING,
} as const;

/** The reason codes of the contract, by the names that the domain uses. */
export const reasonCodes = {
  NO_ROUTES: ReasonCode.NO_ROUTES,
  NO_ACTIVE_ROUTE: ReasonCode.NO_ACTIVE_ROUTE,
  NO_MATCH: ReasonCode.NO_MATCH,
  BELOW_THRESHOLD: ReasonCode.BELOW_THRESHOLD,
  AMBIGUOUS: ReasonCode.AMBIGUOUS,
  EMPTY_DOCUMENT: ReasonCode.EMPTY_DOCUMENT,
  UNSUPPORTED_FORMAT: ReasonCode.UNSUPPORTED_FORMAT,
  UNREADABLE_FILE: ReasonCode.UNREADABLE_FILE,
  ENCRYPTED_FILE: ReasonCode.ENCRYPTED_FILE,
  LOW_OCR_QUALITY: ReasonCode.LOW_OCR_QUALITY,
} as const;

/** Returns the reason code for a document that could not be read. */
export function toReason(problem: ReadProblem): keyof typeof reasonCodes {
  switch (problem) {
    case ReadProblem.EMPTY_DOCUMENT:
      return "EMPTY_DOCUMENT";
    case ReadProblem.UNSUPPORTED_FORMAT:
      return "UNSUPPORTED_FORMAT";
    case ReadProblem.ENCRYPTED_FILE:
      return "ENCRYPTED_FILE";
    case ReadProblem.LOW_OCR_QUALITY:
      return "LOW_OCR_QUALITY";
    default:
      return "UNREADABLE_FILE";
  }
}
