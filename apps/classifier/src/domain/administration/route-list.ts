/** How many routes a classifier may have. */
export const maxRoutes = 200;

/** A route as far as the list of a classifier looks at it. */
export interface ListedRoute {
  readonly id: string;
  /** What may stand only once in the list. */
  readonly targetKey: string;
}

/** The list after a change, or why it cannot be made. */
export type RouteListOutcome<Route> =
  | { readonly kind: "routes"; readonly routes: Route[] }
  | { readonly kind: "duplicate"; readonly existingRouteId: string }
  | { readonly kind: "full" };

/** The list with one more route, at its end. */
export function listWith<Route extends ListedRoute>(routes: readonly Route[], route: Route): RouteListOutcome<Route> {
  const existing = routes.find(({ targetKey }) => targetKey === route.targetKey);
  if (existing !== undefined) return { kind: "duplicate", existingRouteId: existing.id };
  return routes.length >= maxRoutes ? { kind: "full" } : { kind: "routes", routes: [...routes, route] };
}

/** The list with another version of one of its routes, in the same place. */
export function listReplacing<Route extends ListedRoute>(
  routes: readonly Route[],
  route: Route,
): Exclude<RouteListOutcome<Route>, { kind: "full" }> {
  const existing = routes.find(({ id, targetKey }) => id !== route.id && targetKey === route.targetKey);
  if (existing !== undefined) return { kind: "duplicate", existingRouteId: existing.id };
  return { kind: "routes", routes: routes.map((each) => (each.id === route.id ? route : each)) };
}

/** The place of the first route whose target an earlier one has; undefined when there is none. */
export function findDuplicate(routes: readonly ListedRoute[]): number | undefined {
  const places = new Map<string, number>();
  for (const [place, { targetKey }] of routes.entries()) {
    if (places.has(targetKey)) return place;
    places.set(targetKey, place);
  }
  return undefined;
}

/** The one project that all routes lead into, if it is one. */
export type ProjectOfRoutes =
  { readonly kind: "one"; readonly projectId: string } | { readonly kind: "none" } | { readonly kind: "several" };

/** The project that a classifier with these routes can be given to. */
export function getRoutesProject(routes: readonly { readonly projectId: string }[]): ProjectOfRoutes {
  const [projectId, ...others] = new Set(routes.map((route) => route.projectId));
  if (projectId === undefined) return { kind: "none" };
  return others.length === 0 ? { kind: "one", projectId } : { kind: "several" };
}
