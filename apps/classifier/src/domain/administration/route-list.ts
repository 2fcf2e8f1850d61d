/** The maximum number of routes of a classifier. */
export const maxRoutes = 200;

/** The fields of a route that matter for the list of routes. */
export interface ListedRoute {
  readonly id: string;
  /** The key of the target, which is unique in the list. */
  readonly targetKey: string;
}

/** The list after a change, or the reason why the change is not possible. */
export type RouteListOutcome<Route> =
  | { readonly kind: "routes"; readonly routes: Route[] }
  | { readonly kind: "duplicate"; readonly existingRouteId: string }
  | { readonly kind: "full" };

/** Appends a route to the list. */
export function appendRoute<Route extends ListedRoute>(
  routes: readonly Route[],
  route: Route,
): RouteListOutcome<Route> {
  const existing = routes.find(({ targetKey }) => targetKey === route.targetKey);
  if (existing !== undefined) return { kind: "duplicate", existingRouteId: existing.id };
  return routes.length >= maxRoutes ? { kind: "full" } : { kind: "routes", routes: [...routes, route] };
}

/** Replaces a route of the list by the one with the same ID. */
export function replaceRoute<Route extends ListedRoute>(
  routes: readonly Route[],
  route: Route,
): Exclude<RouteListOutcome<Route>, { kind: "full" }> {
  const existing = routes.find(({ id, targetKey }) => id !== route.id && targetKey === route.targetKey);
  if (existing !== undefined) return { kind: "duplicate", existingRouteId: existing.id };
  return { kind: "routes", routes: routes.map((each) => (each.id === route.id ? route : each)) };
}

/** Returns the index of the first route with the same target as an earlier route, or undefined if there is none. */
export function findDuplicateIndex(routes: readonly ListedRoute[]): number | undefined {
  const seen = new Set<string>();
  for (const [index, { targetKey }] of routes.entries()) {
    if (seen.has(targetKey)) return index;
    seen.add(targetKey);
  }
  return undefined;
}

/** The project that all routes lead into, if there is exactly one. */
export type CommonProject =
  { readonly kind: "one"; readonly projectId: string } | { readonly kind: "none" } | { readonly kind: "several" };

/** Finds the project that all routes lead into, which a classifier with these routes can belong to. */
export function findCommonProject(routes: readonly { readonly projectId: string }[]): CommonProject {
  const [projectId, ...others] = new Set(routes.map((route) => route.projectId));
  if (projectId === undefined) return { kind: "none" };
  return others.length === 0 ? { kind: "one", projectId } : { kind: "several" };
}
