import { computeWilsonInterval } from "@switchyard/statistics";
import type { Interval } from "@switchyard/statistics";
import { minIntervalFiles } from "../summary/metrics.ts";
import { computePercentileInterval } from "../statistics/resampling.ts";

/** What a difference between two runs means. */
export type Verdict = "IMPROVED" | "REGRESSED" | "EQUIVALENT" | "INCONCLUSIVE";

/** The comparison of a metric. All figures are null if one of the runs has none. */
export interface MetricComparison {
  readonly baseline: number | null;
  readonly candidate: number | null;
  /** The candidate less the baseline. */
  readonly delta: number | null;
  readonly ci95: Interval | null;
  readonly pValue: number | null;
  readonly verdict: Verdict;
  /** About how many files would decide an inconclusive verdict, if they are like those compared. Null if no number would, or it is decided. */
  readonly filesNeeded: number | null;
}

/** The evidence for a difference. */
export interface Evidence {
  readonly baseline: number | null;
  readonly candidate: number | null;
  /** The differences in the samples. Those without a figure are NaN. */
  readonly samples: Float64Array;
  readonly pValue: number;
  readonly files: number;
  /** Whether a file differs in the numbers that the metric is computed from. */
  readonly differs: boolean;
  /** Whether both runs are of the same configuration and engine, and no outcome differs. */
  readonly identical: boolean;
  readonly margin: number;
}

/** The error rate of the verdicts IMPROVED and REGRESSED. */
const verdictLevel = 0.05;
/** The square of the 97.5 % point of the normal distribution. */
const squaredQuantile = 3.841458820694124;
const maxFilesNeeded = 1_000_000_000;

/**
 * Judges the difference of a metric. EQUIVALENT: the interval lies within the margin, of at least 30 files. IMPROVED and REGRESSED: the
 * interval excludes 0, and the p value is at most 5 %. Else INCONCLUSIVE. If no file differs, resampling shows no uncertainty, and the
 * interval is that of a share of differing files of which none was seen (Wilson), unless both runs are the same.
 */
export function compareMetric(evidence: Evidence): MetricComparison {
  const { baseline, candidate, files, identical, differs, margin } = evidence;
  if (baseline === null || candidate === null) {
    const figures = { baseline, candidate, delta: null, ci95: null, pValue: null };
    return { ...figures, verdict: "INCONCLUSIVE", filesNeeded: null };
  }
  const delta = candidate - baseline;
  const ci95 = identical
    ? { low: 0, high: 0 }
    : differs
      ? computePercentileInterval(evidence.samples)
      : getUnseenInterval(files);
  const pValue = identical || !differs ? 1 : evidence.pValue;
  const figures = { baseline, candidate, delta, ci95, pValue };
  if (ci95 === null) return { ...figures, verdict: "INCONCLUSIVE", filesNeeded: null };
  const within = -margin <= ci95.low && ci95.high <= margin;
  if (within && (identical || files >= minIntervalFiles)) {
    return { ...figures, verdict: "EQUIVALENT", filesNeeded: null };
  }
  if (pValue <= verdictLevel && ci95.low > 0) return { ...figures, verdict: "IMPROVED", filesNeeded: null };
  if (pValue <= verdictLevel && ci95.high < 0) return { ...figures, verdict: "REGRESSED", filesNeeded: null };
  const half = (ci95.high - ci95.low) / 2;
  const filesNeeded = differs
    ? estimateFiles(files, Math.abs(delta), half, margin)
    : toCount(squaredQuantile * (1 / margin - 1), files);
  return { ...figures, verdict: "INCONCLUSIVE", filesNeeded };
}

/**
 * Estimates how many files decide, if the difference stays and the interval narrows with the root of their number: until it either
 * excludes 0 or lies within the margin.
 */
function estimateFiles(files: number, difference: number, half: number, margin: number): number | null {
  const toExclude = files * (half / difference) ** 2;
  const toFit = difference < margin ? files * (half / (margin - difference)) ** 2 : Infinity;
  return toCount(Math.min(toExclude, Math.max(toFit, minIntervalFiles)), files);
}

/** More files than there are, or null for more than anyone has. */
function toCount(needed: number, files: number): number | null {
  return needed <= maxFilesNeeded ? Math.max(files + 1, Math.ceil(needed)) : null;
}

function getUnseenInterval(files: number): Interval | null {
  const share = computeWilsonInterval(0, files)?.high;
  return share === undefined ? null : { low: -share, high: share };
}
