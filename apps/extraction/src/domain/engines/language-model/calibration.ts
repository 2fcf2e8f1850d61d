/** A value that the engine gave for a labeled cell, and whether it was right. */
export interface CellOutcome {
  /** The column as `<table>.<column>`. */
  readonly column: string;
  /** Whether its words were found in the document. */
  readonly found: boolean;
  readonly right: boolean;
}

/** How many values were right, of how many. */
export interface Rate {
  readonly right: number;
  readonly of: number;
}

/** How often the values of an engine turned out right, by whether their words were found, and by column. */
export interface Calibration {
  readonly found: Rate;
  readonly notFound: Rate;
  /** The rates of found values by column, as `<table>.<column>`. */
  readonly columns: ReadonlyMap<string, Rate>;
}

/** The number of labeled documents from which on confidences are calibrated. */
export const MIN_DOCUMENTS = 20;
/** The confidence of a value that was found in the document as long as there are fewer. */
export const UNCALIBRATED = 0.5;
/** The maximum confidence of a value that was not found in the document: that of a guess. */
const MOST_NOT_FOUND = 0.5;
/** How many values the rate of all columns counts like in the rate of one. */
const WEIGHT = 4;

/** Calibrates an engine by the outcomes of labeled documents. Returns null for fewer than `MIN_DOCUMENTS` documents with an outcome. */
export function calibrate(documents: readonly (readonly CellOutcome[])[]): Calibration | null {
  const labeled = documents.filter((outcomes) => outcomes.length > 0);
  if (labeled.length < MIN_DOCUMENTS) return null;
  const all = labeled.flat();
  const found = all.filter((outcome) => outcome.found);
  const columns = new Map<string, Rate>();
  for (const { column, right } of found) columns.set(column, add(columns.get(column) ?? NOTHING, right));
  return { found: toRate(found), notFound: toRate(all.filter((outcome) => !outcome.found)), columns };
}

/**
 * Returns the confidence in a value: the share of values that were right of those of its column that were found in their documents, drawn towards
 * the share of all columns; for a value that was not found the share of such values, drawn towards 0, and never more than 0.5. Without a
 * calibration 0.5 for a found value, and 0 for another. Between 0 and 0.99, with three decimals.
 */
export function getConfidence(column: string, found: boolean, calibration: Calibration | null): number {
  if (calibration === null) return found ? UNCALIBRATED : 0;
  if (!found) return round(Math.min(MOST_NOT_FOUND, calibration.notFound.right / (calibration.notFound.of + WEIGHT)));
  const general = (calibration.found.right + 1) / (calibration.found.of + 2);
  const { right, of } = calibration.columns.get(column) ?? NOTHING;
  return round(Math.min(0.99, (right + WEIGHT * general) / (of + WEIGHT)));
}

const NOTHING: Rate = { right: 0, of: 0 };

function add({ right, of }: Rate, isRight: boolean): Rate {
  return { right: right + (isRight ? 1 : 0), of: of + 1 };
}

function toRate(outcomes: readonly CellOutcome[]): Rate {
  return outcomes.reduce((rate, { right }) => add(rate, right), NOTHING);
}

function round(share: number): number {
  return Math.round(share * 1_000) / 1_000;
}
