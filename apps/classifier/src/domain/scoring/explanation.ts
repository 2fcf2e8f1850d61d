import type { Exclusion } from "../decision/candidates.ts";
import type { DecisionRoute, ScoredRoute } from "../decision/decision-route.ts";

const exclusionTexts: Readonly<Record<Exclusion, string>> = {
  TARGET_DELETED: "its target was deleted",
  ROUTE_DISABLED: "it is disabled",
  DEPLOYMENT_PAUSED: "its deployment is paused",
  MODEL_PAUSED: "its model is paused",
  SCHEMA_MISSING: "its target has no schema",
};

const NAMED_ROUTES = 3;

function quoted(name: string): string {
  return `“${name}”`;
}

function withScore({ route, score }: ScoredRoute): string {
  return `${quoted(route.name)} (${score.toFixed(2)})`;
}

function percent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

function excludedText({ name, excluded }: DecisionRoute): string {
  return excluded === null ? quoted(name) : `${quoted(name)}, ${exclusionTexts[excluded]}`;
}

/** Names a route that is out and fits better than every candidate, if there is one. */
function outsideText(outside: ScoredRoute | undefined): string {
  if (outside?.route.excluded == null) return "";
  return ` ${withScore(outside)} fits better, but ${exclusionTexts[outside.route.excluded]}.`;
}

/** The sentences that tell a person why a document has no route. */
export const explain = {
  noRoutes: (): string => "The classifier has no routes.",

  /** `routes` are all of the classifier's, each with its reason; the first three are named. */
  noActiveRoute(routes: readonly DecisionRoute[]): string {
    const named = routes.slice(0, NAMED_ROUTES).map(excludedText).join("; ");
    const more = routes.length > NAMED_ROUTES ? `; and ${String(routes.length - NAMED_ROUTES)} more` : "";
    return `No route is active: ${named}${more}.`;
  },

  noMatch: (best: ScoredRoute, outside: ScoredRoute | undefined): string =>
    `The document fits none of the routes; the closest is ${withScore(best)}.${outsideText(outside)}`,

  belowThreshold: (best: ScoredRoute, threshold: number, outside: ScoredRoute | undefined): string =>
    `The closest route is ${withScore(best)}, below its threshold of ${threshold.toFixed(2)}.${outsideText(outside)}`,

  ambiguous: (best: ScoredRoute, second: ScoredRoute, margin: number, needed: number): string =>
    `Between ${withScore(best)} and ${withScore(second)}: a lead of ${percent(margin)}, and ${percent(needed)} is needed.`,
};
