import { computeWilsonInterval } from "@switchyard/statistics";
import type { DecisionRule, ReviewedDecision } from "./reviewed-decision.ts";

/** What a threshold would do: the share of documents that are routed, and of these the share that are routed wrong. */
export interface RiskCoveragePoint {
  readonly coverage: number;
  readonly risk: number;
  readonly threshold: number;
}

/** A threshold for a wanted precision. */
export interface QualityThreshold {
  readonly precision: number;
  readonly threshold: number;
  readonly coverage: number;
  /** The lower bound of the 95 % interval of the precision. */
  readonly lowerBound: number;
}

/** How many documents a threshold routes, and how many of these wrong. */
export interface ThresholdCounts {
  readonly threshold: number;
  readonly routed: number;
  readonly wrong: number;
}

/**
 * Counts what each threshold routes, from the highest to the lowest: one for each confidence that occurs. A route with a threshold of its
 * own keeps it, and a document whose margin is too small is never routed.
 */
export function countByThreshold(
  decisions: readonly ReviewedDecision[],
  { minMargin, ownThresholds }: DecisionRule,
): ThresholdCounts[] {
  const scored = decisions.flatMap(({ reviewed, best }) => {
    if (best === null || best.margin < minMargin || best.confidence === 0) return [];
    return [{ ...best, own: ownThresholds.get(best.routeId), wrong: best.routeId === reviewed ? 0 : 1 }];
  });
  const fixed = scored.filter(({ own, confidence }) => own !== undefined && confidence >= own);
  let [routed, wrong] = [fixed.length, fixed.reduce((sum, each) => sum + each.wrong, 0)];
  const counts: ThresholdCounts[] = [];
  const free = scored.filter(({ own }) => own === undefined).sort((one, other) => other.confidence - one.confidence);
  for (const [index, each] of free.entries()) {
    routed += 1;
    wrong += each.wrong;
    if (free[index + 1]?.confidence !== each.confidence) counts.push({ threshold: each.confidence, routed, wrong });
  }
  return counts;
}

/** Computes the risk-coverage curve over this many documents, with at most `maxPoints`, the last of which is the lowest threshold. */
export function computeRiskCoverage(
  counts: readonly ThresholdCounts[],
  documents: number,
  maxPoints: number,
): RiskCoveragePoint[] {
  const step = Math.max(1, counts.length / maxPoints);
  const places = Array.from({ length: Math.min(counts.length, maxPoints) }, (_, index) =>
    Math.min(counts.length, Math.round((index + 1) * step)),
  );
  return places.flatMap((place) => {
    const point = counts[place - 1];
    if (point === undefined) return [];
    const { routed, wrong, threshold } = point;
    return [{ coverage: routed / documents, risk: wrong / routed, threshold }];
  });
}

/**
 * Finds the lowest threshold for which (wrong + 1) / (routed + 1) is at most 1 - precision, so that the precision can be expected of
 * documents that were not reviewed. Returns null if there is none: a precision of 98 % takes at least 49 documents.
 * Vovk et al., Algorithmic Learning in a Random World, 2005.
 */
export function findThreshold(
  counts: readonly ThresholdCounts[],
  documents: number,
  precision: number,
): QualityThreshold | null {
  // Allows for the rounding of 1 - precision.
  const found = counts.findLast(({ routed, wrong }) => (wrong + 1) / (routed + 1) <= 1 - precision + 1e-12);
  if (found === undefined) return null;
  const { threshold, routed, wrong } = found;
  const lowerBound = computeWilsonInterval(routed - wrong, routed)?.low ?? 0;
  return { precision, threshold, coverage: routed / documents, lowerBound };
}
