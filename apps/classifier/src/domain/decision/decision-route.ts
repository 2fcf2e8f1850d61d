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
