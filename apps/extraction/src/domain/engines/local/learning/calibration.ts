/** A logistic map from scores to probabilities. */
export interface Calibration {
  readonly slope: number;
  readonly offset: number;
}

/** A confidence that turned out right or wrong. */
export interface Outcome {
  readonly confidence: number;
  readonly right: boolean;
  /** In how many other files the value was accepted. */
  readonly accepted: number;
}

const UNCALIBRATED: Calibration = { slope: 1, offset: 0 };
const STEPS = 200;
const RATE = 0.5;

/** The number of calibrations by how often a value was accepted. */
const FAMILIARITIES = 3;

/**
 * Calibrates separately the values that were accepted never, once, and more often. The value of an issuer whose documents were accepted is
 * much more often right than a new one with the same score. Where outcomes are few, the calibrations are close to that of all.
 */
export function calibrateByFamiliarity(outcomes: readonly Outcome[]): Calibration[] {
  const all = calibrate(outcomes, UNCALIBRATED);
  return Array.from({ length: FAMILIARITIES }, (_, familiarity) =>
    calibrate(
      outcomes.filter(({ accepted }) => getFamiliarity(accepted) === familiarity),
      all,
    ),
  );
}

/** Applies the calibration for a value that was accepted this often to its confidence; the result is from 0.01 to 0.99. */
export function toCalibrated(confidence: number, accepted: number, calibrations: readonly Calibration[]): number {
  const { slope, offset } = calibrations[getFamiliarity(accepted)] ?? UNCALIBRATED;
  return Math.min(0.99, Math.max(0.01, 1 / (1 + Math.exp(-(slope * toLogOdds(confidence) + offset)))));
}

function getFamiliarity(accepted: number): number {
  return Math.min(accepted, FAMILIARITIES - 1);
}

/**
 * Fits a logistic map of log-odds to outcomes (Platt scaling) by gradient descent, regularized towards another map with the weight of four
 * outcomes, so that few outcomes change it little.
 */
function calibrate(outcomes: readonly Outcome[], towards: Calibration): Calibration {
  if (outcomes.length < 4) return towards;
  let { slope, offset } = towards;
  const points = outcomes.map(({ confidence, right }) => ({ x: toLogOdds(confidence), y: right ? 1 : 0 }));
  for (let step = 0; step < STEPS; step += 1) {
    let bySlope = 0.4 * (slope - towards.slope);
    let byOffset = 0.4 * (offset - towards.offset);
    for (const { x, y } of points) {
      const error = 1 / (1 + Math.exp(-(slope * x + offset))) - y;
      bySlope += (error * x) / 2;
      byOffset += error;
    }
    slope -= (RATE * bySlope) / (points.length + 4);
    offset -= (RATE * byOffset) / (points.length + 4);
  }
  return { slope: Math.max(0.05, slope), offset };
}

function toLogOdds(confidence: number): number {
  const bounded = Math.min(0.995, Math.max(0.005, confidence));
  return Math.log(bounded / (1 - bounded));
}
