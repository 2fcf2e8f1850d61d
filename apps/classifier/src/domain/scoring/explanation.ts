import type { Exclusion } from "../decision/candidates.ts";
import type { DecisionRoute, ScoredRoute } from "../decision/decision-route.ts";

const exclusionTexts: Readonly<Record<Exclusion, string>> = {
  TARGET_DELETED: "its target was deleted",
  ROUTE_DISABLED: "it is disabled",
  DEPLOYMENT_PAUSED: "its deployment is paused",
  MODEL_PAUSED: "its model is paused",
  SCHEMA_MISSING: "its target has no schema",
};

const MAX_NAMED_ROUTES = 3;

function quote(name: string): string {
  return `“${name}”`;
}

function formatScored({ route, score }: ScoredRoute): string {
  return `${quote(route.name)} (${score.toFixed(2)})`;
}

function formatPercent(share: number): string {
  return `${String(Math.round(share * 100))} %`;
}

function formatExcluded({ name, excluded }: DecisionRoute): string {
  return excluded === null ? quote(name) : `${quote(name)}, ${exclusionTexts[excluded]}`;
}

/** Mentions an excluded route that fits better than every candidate, if there is one. */
function formatBetter(better: ScoredRoute | undefined): string {
  if (better?.route.excluded == null) return "";
  return ` ${formatScored(better)} fits better, but ${exclusionTexts[better.route.excluded]}.`;
}

/** Explains to people why a document has no route. */
export const explain = {
  noRoutes: (): string => "The classifier has no routes.",

  /** `routes` contains all routes of the classifier. The first three are named with their reasons. */
  noActiveRoute(routes: readonly DecisionRoute[]): string {
    const named = routes.slice(0, MAX_NAMED_ROUTES).map(formatExcluded).join("; ");
    const more = routes.length > MAX_NAMED_ROUTES ? `; and ${String(routes.length - MAX_NAMED_ROUTES)} more` : "";
    return `No route is active: ${named}${more}.`;
  },

  noMatch: (best: ScoredRoute, better: ScoredRoute | undefined): string =>
    `The document fits none of the routes; the closest is ${formatScored(best)}.${formatBetter(better)}`,

  /** `reason` is what the engine said; empty if it said nothing. */
  choseNone: (engine: string, reason: string): string =>
    `The engine ${engine} found that none of the routes fits${reason === "" ? "." : `: ${quote(reason)}`}`,

  /** `route` is the name of the route that the engine chose. */
  choseUnfounded: (engine: string, route: string): string =>
    `The engine ${engine} chose ${quote(route)}, but quoted no words of the document that show it.`,

  belowThreshold: (best: ScoredRoute, threshold: number, better: ScoredRoute | undefined): string =>
    `The closest route is ${formatScored(best)}, below its threshold of ${threshold.toFixed(2)}.${formatBetter(better)}`,

  ambiguous: (best: ScoredRoute, second: ScoredRoute, margin: number, needed: number): string =>
    `Between ${formatScored(best)} and ${formatScored(second)}: a lead of ${formatPercent(margin)}, and ${formatPercent(needed)} is needed.`,
};
