/** A logistic map from scores to probabilities. */
export interface Calibration {
  readonly slope: number;
  readonly offset: number;
}

/** A confidence that turned out right or wrong. */
export interface Outcome {
  readonly confidence: number;
  readonly right: boolean;
}

export const UNCALIBRATED: Calibration = { slope: 1, offset: 0 };
const STEPS = 200;
const RATE = 0.5;

/**
 * Fits a logistic map of log-odds to outcomes (Platt scaling) by gradient descent, pulled towards no change as by four outcomes, so that few
 * files change confidences little.
 */
export function calibrate(outcomes: readonly Outcome[]): Calibration {
  if (outcomes.length < 4) return UNCALIBRATED;
  let { slope, offset } = UNCALIBRATED;
  const points = outcomes.map(({ confidence, right }) => ({ x: toLogOdds(confidence), y: right ? 1 : 0 }));
  for (let step = 0; step < STEPS; step += 1) {
    let bySlope = 0.4 * (slope - 1);
    let byOffset = 0.4 * offset;
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

/** Applies a calibration to a confidence; the result is from 0.01 to 0.99. */
export function toCalibrated(confidence: number, { slope, offset }: Calibration): number {
  return Math.min(0.99, Math.max(0.01, 1 / (1 + Math.exp(-(slope * toLogOdds(confidence) + offset)))));
}

function toLogOdds(confidence: number): number {
  const bounded = Math.min(0.995, Math.max(0.005, confidence));
  return Math.log(bounded / (1 - bounded));
}
