import type { Quality, RiskCoveragePoint } from "@switchyard/client";

/** A cell of the confusion matrix. */
export interface ConfusionCell {
  readonly count: number;
  /** Whether these documents were routed to where they belong. */
  readonly isRight: boolean;
}

/** A line of the confusion matrix: a route, or null for UNCLASSIFIED. */
export interface ConfusionLine {
  readonly routeId: string | null;
  readonly cells: readonly ConfusionCell[];
  readonly total: number;
}

/** The confusion matrix: the routes in their order, then those that were deleted, then UNCLASSIFIED. */
export interface ConfusionMatrix {
  readonly routeIds: readonly (string | null)[];
  readonly lines: readonly ConfusionLine[];
}

/** Arranges the counts of a quality as a matrix. A route is in it if it occurs in a count, or still exists. */
export function arrangeConfusion({ confusion, routes }: Pick<Quality, "confusion" | "routes">): ConfusionMatrix {
  const occurring = confusion.flatMap(({ reviewed, decided }) => [reviewed, decided]);
  const routeIds = [...new Set([...routes.map(({ routeId }) => routeId), ...occurring.filter((id) => id !== null)])];
  const all = [...routeIds, null];
  const lines = all.map((reviewed) => {
    const cells = all.map((decided) => ({
      count: confusion.find((each) => each.reviewed === reviewed && each.decided === decided)?.count ?? 0,
      isRight: reviewed === decided,
    }));
    return { routeId: reviewed, cells, total: cells.reduce((sum, { count }) => sum + count, 0) };
  });
  return { routeIds: all, lines };
}

/**
 * Returns the point of the curve at a threshold: only documents whose confidence reaches it are routed. Undefined if none does. The points
 * go from the highest threshold to the lowest.
 */
export function findPoint(points: readonly RiskCoveragePoint[], threshold: number): RiskCoveragePoint | undefined {
  return points.findLast((point) => point.threshold >= threshold);
}

/** Returns the attribute `points` of a polyline for the curve, in a square of this size with the origin at the lower left. */
export function drawCurve(points: readonly RiskCoveragePoint[], size: number, maxRisk: number): string {
  return points
    .map(({ coverage, risk }) => `${round(coverage * size)},${round(size - (risk / maxRisk) * size)}`)
    .join(" ");
}

/** Returns the greatest risk that the axis of a curve shows: at least 10 %, in steps of 10 %. */
export function findMaxRisk(points: readonly RiskCoveragePoint[]): number {
  const risk = Math.max(0, ...points.map((point) => point.risk));
  return Math.min(1, Math.max(0.1, Math.ceil(risk * 10) / 10));
}

/** Returns a threshold with at most four decimals. */
export function formatThreshold(threshold: number): string {
  return String(Math.round(threshold * 10_000) / 10_000);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
