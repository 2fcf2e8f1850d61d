/** A choice of an engine on a document that a person has reviewed. */
export interface ReviewedChoice {
  /** Whether the engine quoted a passage that is in the document. */
  readonly quoted: boolean;
  readonly right: boolean;
}

/** How often choices were right. */
export interface ChoiceCount {
  readonly total: number;
  readonly right: number;
}

/** How often the choices of an engine were right, apart for those with a passage that is in the document and those without. */
export interface Calibration {
  readonly quoted: ChoiceCount;
  readonly unquoted: ChoiceCount;
}

/** Nothing is known about an engine with fewer reviewed choices. */
export const MIN_REVIEWED_CHOICES = 20;
/** The confidence in a choice about which nothing is known. */
export const UNKNOWN_CONFIDENCE = 0.5;

/** The calibration of an engine without reviewed choices. */
export const UNCALIBRATED: Calibration = { quoted: { total: 0, right: 0 }, unquoted: { total: 0, right: 0 } };

/** Counts how often choices were right. */
export function toCalibration(choices: Iterable<ReviewedChoice>): Calibration {
  const counts = { quoted: { total: 0, right: 0 }, unquoted: { total: 0, right: 0 } };
  for (const { quoted, right } of choices) {
    const count = quoted ? counts.quoted : counts.unquoted;
    count.total += 1;
    count.right += right ? 1 : 0;
  }
  return counts;
}

/** Returns the number of reviewed choices that the confidence depends on: 0 while they are too few. */
export function countKnown({ quoted, unquoted }: Calibration): number {
  const total = quoted.total + unquoted.total;
  return total < MIN_REVIEWED_CHOICES ? 0 : total;
}

/**
 * Returns the confidence in a choice: the expected share of right ones, (right + 1) / (total + 2) by Laplace's rule of succession, of the
 * reviewed choices of its sort. If there are fewer than 20 of its sort, it is that of all, but at most 0.5; if there are fewer than 20
 * altogether, it is 0.5.
 */
export function getConfidence(calibration: Calibration, isQuoted: boolean): number {
  const own = isQuoted ? calibration.quoted : calibration.unquoted;
  if (own.total >= MIN_REVIEWED_CHOICES) return expectedShare(own);
  if (countKnown(calibration) === 0) return UNKNOWN_CONFIDENCE;
  const { quoted, unquoted } = calibration;
  const all = { total: quoted.total + unquoted.total, right: quoted.right + unquoted.right };
  return Math.min(UNKNOWN_CONFIDENCE, expectedShare(all));
}

function expectedShare({ total, right }: ChoiceCount): number {
  return Math.round(((right + 1) / (total + 2)) * 10_000) / 10_000;
}
