/** Why a route is out of the candidate set, in order of precedence. */
export type Exclusion = "TARGET_DELETED" | "ROUTE_DISABLED" | "DEPLOYMENT_PAUSED" | "MODEL_PAUSED" | "SCHEMA_MISSING";

/** The state of a model or deployment that a route points to. */
export interface TargetState {
  readonly paused: boolean;
  /** The schema that it serves. */
  readonly schemaId: string | null;
}

/** A route with the present state of its target; a state of null means that it was deleted. */
export interface RouteTarget {
  readonly routeId: string;
  readonly modelId: string;
  /** Null for a route to the model itself. */
  readonly deploymentId: string | null;
  readonly enabled: boolean;
  readonly model: TargetState | null;
  /** Null too for a route to the model itself. */
  readonly deployment: TargetState | null;
}

/** Whether a route is a candidate: `excluded` is null, or the first reason that holds. */
export interface Candidate {
  readonly routeId: string;
  readonly excluded: Exclusion | null;
}

function getExclusion({ deploymentId, enabled, model, deployment }: RouteTarget): Exclusion | null {
  if (model === null || (deploymentId !== null && deployment === null)) return "TARGET_DELETED";
  if (!enabled) return "ROUTE_DISABLED";
  if (deploymentId !== null && deployment?.paused === true) return "DEPLOYMENT_PAUSED";
  if (model.paused) return "MODEL_PAUSED";
  const served = deploymentId === null ? model : deployment;
  return served?.schemaId == null ? "SCHEMA_MISSING" : null;
}

/** The candidate set: every route, in the order given, with the first reason why it is out, or null when it stands. */
export function toCandidates(routes: readonly RouteTarget[]): Candidate[] {
  return routes.map((route) => ({ routeId: route.routeId, excluded: getExclusion(route) }));
}
