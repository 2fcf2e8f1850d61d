import type { RouteScore } from "@switchyard/client";

type Score = Pick<RouteScore, "routeId" | "score" | "ineligibleReason">;

/** Whether two decisions on a document have the same routes in the same order, with the same scores, and exclude the same ones. */
export function hasSameScores(some: readonly Score[], others: readonly Score[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ routeId, score, ineligibleReason }, index) => {
      const other = others[index];
      return other?.routeId === routeId && other.score === score && other.ineligibleReason === ineligibleReason;
    })
  );
}
