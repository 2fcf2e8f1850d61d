import type { RouteExclusionReason } from "@switchyard/contracts/reasons";
/** The reason why a route is not a candidate, in order of precedence. */
export type Exclusion = RouteExclusionReason;

/** The state of a model or deployment that a route points to. */
export interface TargetState {
  readonly paused: boolean;
  /** The schema that documents are extracted with, or null if there is none. */
  readonly schemaId: string | null;
}

/** A route with the current state of its target. A state of null means that the model or deployment was deleted. */
export interface RouteTarget {
  readonly routeId: string;
  readonly modelId: string;
  /** Null for a route to the model itself. */
  readonly deploymentId: string | null;
  readonly enabled: boolean;
  readonly model: TargetState | null;
  /** Also null for a route to the model itself. */
  readonly deployment: TargetState | null;
}

/** A route, and the first reason why it is not a candidate, or null if it is one. */
export interface Candidate {
  readonly routeId: string;
  readonly excluded: Exclusion | null;
}

function getExclusion({ deploymentId, enabled, model, deployment }: RouteTarget): Exclusion | null {
  if (model === null || (deploymentId !== null && deployment === null)) return "TARGET_DELETED";
  if (!enabled) return "ROUTE_DISABLED";
  if (deploymentId !== null && deployment?.paused === true) return "DEPLOYMENT_PAUSED";
  if (model.paused) return "MODEL_PAUSED";
  const target = deploymentId === null ? model : deployment;
  return target?.schemaId == null ? "SCHEMA_MISSING" : null;
}

/** Determines for every route, in the given order, whether it is a candidate. */
export function toCandidates(routes: readonly RouteTarget[]): Candidate[] {
  return routes.map((route) => ({ routeId: route.routeId, excluded: getExclusion(route) }));
}
