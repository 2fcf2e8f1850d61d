import type { Exclusion } from "./candidates.ts";

/** A route as the decision needs it. */
export interface DecisionRoute {
  readonly routeId: string;
  readonly name: string;
  /** Routes of one model are one document type and do not compete. */
  readonly modelId: string;
  readonly deploymentId: string | null;
  readonly createdAt: Date;
  /** Overrides the classifier's. */
  readonly minConfidence: number | null;
  /** Null when the route is a candidate. */
  readonly excluded: Exclusion | null;
}

/** A route with its score. */
export interface ScoredRoute {
  readonly route: DecisionRoute;
  readonly score: number;
}
