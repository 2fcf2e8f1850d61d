/**
 * How often the reviewed choices of an engine were right. Only choices with a passage that is in the document count.
 */
export interface Calibration {
  readonly total: number;
  readonly right: number;
}

/** Nothing is known about an engine with fewer reviewed choices. */
const MIN_REVIEWED_CHOICES = 20;
/** The confidence in a choice about which nothing is known. */
const UNKNOWN_CONFIDENCE = 0.5;

/** The calibration of an engine without reviewed choices. */
export const UNCALIBRATED: Calibration = { total: 0, right: 0 };

/** Counts how often reviewed choices were right, given whether each of them was. */
export function toCalibration(choices: readonly boolean[]): Calibration {
  return { total: choices.length, right: choices.filter((isRight) => isRight).length };
}

/** Returns the number of reviewed choices that the confidence depends on: 0 while they are too few. */
export function countKnown({ total }: Calibration): number {
  return total < MIN_REVIEWED_CHOICES ? 0 : total;
}

/**
 * Returns the confidence in a choice: 0 without a passage that is in the document, whatever the calibration. Otherwise the expected share of right
 * ones, (right + 1) / (total + 2) by Laplace's rule of succession, of the reviewed choices, and 0.5 if there are fewer than 20.
 */
export function getConfidence(calibration: Calibration, isQuoted: boolean): number {
  if (!isQuoted) return 0;
  if (countKnown(calibration) === 0) return UNKNOWN_CONFIDENCE;
  return Math.round(((calibration.right + 1) / (calibration.total + 2)) * 10_000) / 10_000;
}
