import type { Exclusion } from "./candidates.ts";

/** The fields of a route that the decision depends on. */
export interface DecisionRoute {
  readonly routeId: string;
  readonly name: string;
  /** Routes to one model are one document type and do not compete. */
  readonly modelId: string;
  readonly deploymentId: string | null;
  readonly createdAt: Date;
  /** Overrides the threshold of the classifier. */
  readonly minConfidence: number | null;
  /** Null if the route is a candidate. */
  readonly excluded: Exclusion | null;
}

/** A route with its score. */
export interface ScoredRoute {
  readonly route: DecisionRoute;
  readonly score: number;
}

/**
 * Returns the IDs of the candidates that a document can take instead of a route that was chosen but is excluded: those to the same model, which are for
 * the same type of documents. A candidate needs none.
 */
export function findSubstitutes(
  routeId: string | null,
  routes: readonly Pick<DecisionRoute, "routeId" | "modelId" | "excluded">[],
): ReadonlySet<string> {
  const chosen = routes.find((route) => route.routeId === routeId);
  if (chosen === undefined || chosen.excluded === null) return new Set();
  const substitutes = routes.filter(({ modelId, excluded }) => modelId === chosen.modelId && excluded === null);
  return new Set(substitutes.map((route) => route.routeId));
}
