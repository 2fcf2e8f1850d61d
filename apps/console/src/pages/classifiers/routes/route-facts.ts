import type { ClassifierDetail, ExcludedRoute, Route, RouteDetail } from "@switchyard/client";

/** What is known about a route of a classifier. */
export interface RouteFacts {
  readonly route: Route;
  /** What only administrators see of it; undefined while it is not loaded. */
  readonly detail: RouteDetail | undefined;
  /** Why no document is routed to it; undefined if it accepts documents. */
  readonly reason: ExcludedRoute["reason"] | undefined;
  /** The number of documents that were routed to it. */
  readonly wins: number;
}

/** Joins what the classifier and the list of its routes say about each route, in order of creation. */
export function listRouteFacts(
  classifier: Pick<ClassifierDetail, "deploymentRoutes" | "excludedRoutes" | "routeWins">,
  details: readonly RouteDetail[],
): RouteFacts[] {
  const reasons = new Map(classifier.excludedRoutes.map(({ routeId, reason }) => [routeId, reason]));
  const wins = new Map(classifier.routeWins.map(({ routeId, count }) => [routeId, count]));
  const detailed = new Map(details.map((detail) => [detail.id, detail]));
  return classifier.deploymentRoutes.map((route) => ({
    route,
    detail: detailed.get(route.id),
    reason: reasons.get(route.id),
    wins: wins.get(route.id) ?? 0,
  }));
}
