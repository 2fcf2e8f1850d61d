import type { ClassificationReason } from "@switchyard/contracts/reasons";
import type { DecisionRoute, ScoredRoute } from "./decision-route.ts";
import { explain } from "../scoring/explanation.ts";

/** The threshold if neither the route nor the classifier has one. */
export const DEFAULT_MIN_CONFIDENCE = 0.45;
/** The minimum relative lead over the next document type if the classifier has none. */
export const DEFAULT_MIN_MARGIN = 0.15;
/** Below this score, or below the threshold if that is lower, a route is not a match. */
const NO_MATCH_BELOW = 0.1;

/** The settings of the decision. Null means the default of the engine. */
export interface DecisionSettings {
  readonly minConfidence: number | null;
  readonly minMargin: number | null;
}

/** The input of a decision. */
export interface DecisionInput {
  readonly routes: readonly DecisionRoute[];
  /** A route without a score has a score of 0. */
  readonly scores: readonly { readonly routeId: string; readonly score: number }[];
  readonly settings: DecisionSettings;
}

/**
 * The decision on a document. `confidence` is the score of the best candidate, `threshold` the score that it needs, and `margin` its
 * relative lead over the best candidate of another model: `1 - second / first`, or 1 if there is no other. All are between 0 and 1, or
 * null if the document was not scored.
 */
export type Decision =
  | {
      readonly status: "CLASSIFIED";
      readonly routeId: string;
      readonly confidence: number;
      readonly threshold: number;
      readonly margin: number;
    }
  | {
      readonly status: "UNCLASSIFIED";
      readonly reason: ClassificationReason;
      /** An explanation for people. */
      readonly message: string;
      readonly confidence: number | null;
      readonly threshold: number | null;
      readonly margin: number | null;
    };

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Orders by score; equal scores by deployments before models, then by age, then by ID. */
function compareRank(left: ScoredRoute, right: ScoredRoute): number {
  return (
    right.score - left.score ||
    Number(left.route.deploymentId === null) - Number(right.route.deploymentId === null) ||
    left.route.createdAt.getTime() - right.route.createdAt.getTime() ||
    compareText(left.route.routeId, right.route.routeId)
  );
}

function unscored(reason: ClassificationReason, message: string): Decision {
  return { status: "UNCLASSIFIED", reason, message, confidence: null, threshold: null, margin: null };
}

/**
 * Decides which route a scored document takes. Excluded routes never win and do not reduce the margin. Candidates of one model are
 * one document type: the best represents them all, and only a candidate of another model can make the decision ambiguous.
 */
export function decide({ routes, scores, settings }: DecisionInput): Decision {
  if (routes.length === 0) return unscored("NO_ROUTES", explain.noRoutes());
  const scoreByRoute = new Map(scores.map(({ routeId, score }) => [routeId, score]));
  const ranked = routes.map((route) => ({ route, score: scoreByRoute.get(route.routeId) ?? 0 })).sort(compareRank);
  const candidates = ranked.filter(({ route }) => route.excluded === null);
  const [best] = candidates;
  if (best === undefined) return unscored("NO_ACTIVE_ROUTE", explain.noActiveRoute(routes));

  const second = candidates.find(({ route }) => route.modelId !== best.route.modelId);
  const confidence = best.score;
  const threshold = best.route.minConfidence ?? settings.minConfidence ?? DEFAULT_MIN_CONFIDENCE;
  const minMargin = settings.minMargin ?? DEFAULT_MIN_MARGIN;
  const lead = confidence > 0 ? 1 - (second?.score ?? 0) / confidence : 0;
  const margin = Math.round(lead * 10_000) / 10_000;
  const measures = { confidence, threshold, margin };
  const [excluded] = ranked.filter(({ route, score }) => route.excluded !== null && score > confidence);

  if (confidence === 0 || confidence < Math.min(threshold, NO_MATCH_BELOW)) {
    return { status: "UNCLASSIFIED", reason: "NO_MATCH", message: explain.noMatch(best, excluded), ...measures };
  }
  if (confidence < threshold) {
    const message = explain.belowThreshold(best, threshold, excluded);
    return { status: "UNCLASSIFIED", reason: "BELOW_THRESHOLD", message, ...measures };
  }
  if (second !== undefined && margin < minMargin) {
    const message = explain.ambiguous(best, second, margin, minMargin);
    return { status: "UNCLASSIFIED", reason: "AMBIGUOUS", message, ...measures };
  }
  return { status: "CLASSIFIED", routeId: best.route.routeId, ...measures };
}
