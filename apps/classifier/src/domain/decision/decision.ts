import type { DecisionRoute, ScoredRoute } from "./decision-route.ts";
import { explain } from "../scoring/explanation.ts";

/** The least score that is taken for an answer when neither route nor classifier names one. */
export const DEFAULT_MIN_CONFIDENCE = 0.45;
/** The least relative lead over the next document type when the classifier names none. */
export const DEFAULT_MIN_MARGIN = 0.15;
/** Under this score, or under the threshold if that is less, nothing worth naming matches. */
const NO_MATCH_BELOW = 0.1;

/** Why a document has no route. The last four are of the document, found before anything is scored. */
export type UnclassifiedReason =
  | "NO_ROUTES"
  | "NO_ACTIVE_ROUTE"
  | "NO_MATCH"
  | "BELOW_THRESHOLD"
  | "AMBIGUOUS"
  | "EMPTY_DOCUMENT"
  | "UNSUPPORTED_FORMAT"
  | "UNREADABLE_FILE"
  | "ENCRYPTED_FILE";

/** Null means the engine's default. */
export interface DecisionSettings {
  readonly minConfidence: number | null;
  readonly minMargin: number | null;
}

export interface DecisionInput {
  readonly routes: readonly DecisionRoute[];
  /** A route without a score counts as 0. */
  readonly scores: readonly { readonly routeId: string; readonly score: number }[];
  readonly settings: DecisionSettings;
}

/**
 * `confidence` is the score of the best candidate, `threshold` what it needs, `margin` its relative lead over the best
 * candidate of another model: `1 - second / first`, 1 when there is no other. All 0 to 1; null when nothing was scored.
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
      readonly reason: UnclassifiedReason;
      /** A sentence for people. */
      readonly message: string;
      readonly confidence: number | null;
      readonly threshold: number | null;
      readonly margin: number | null;
    };

function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Best first; what scores alike: a route to a deployment before one to a model, then the older, then by id. */
function byRank(left: ScoredRoute, right: ScoredRoute): number {
  return (
    right.score - left.score ||
    Number(left.route.deploymentId === null) - Number(right.route.deploymentId === null) ||
    left.route.createdAt.getTime() - right.route.createdAt.getTime() ||
    compareText(left.route.routeId, right.route.routeId)
  );
}

function unscored(reason: UnclassifiedReason, message: string): Decision {
  return { status: "UNCLASSIFIED", reason, message, confidence: null, threshold: null, margin: null };
}

/**
 * Decides which route a scored document takes. Routes that are out never win and do not narrow the margin. Candidates
 * of one model are one document type: the best of them stands for it, and only another model's can make it ambiguous.
 */
export function decide({ routes, scores, settings }: DecisionInput): Decision {
  if (routes.length === 0) return unscored("NO_ROUTES", explain.noRoutes());
  const scoreByRoute = new Map(scores.map(({ routeId, score }) => [routeId, score]));
  const ranked = routes.map((route) => ({ route, score: scoreByRoute.get(route.routeId) ?? 0 })).sort(byRank);
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
  const [outside] = ranked.filter(({ route, score }) => route.excluded !== null && score > confidence);

  if (confidence === 0 || confidence < Math.min(threshold, NO_MATCH_BELOW)) {
    return { status: "UNCLASSIFIED", reason: "NO_MATCH", message: explain.noMatch(best, outside), ...measures };
  }
  if (confidence < threshold) {
    const message = explain.belowThreshold(best, threshold, outside);
    return { status: "UNCLASSIFIED", reason: "BELOW_THRESHOLD", message, ...measures };
  }
  if (second !== undefined && margin < minMargin) {
    const message = explain.ambiguous(best, second, margin, minMargin);
    return { status: "UNCLASSIFIED", reason: "AMBIGUOUS", message, ...measures };
  }
  return { status: "CLASSIFIED", routeId: best.route.routeId, ...measures };
}
