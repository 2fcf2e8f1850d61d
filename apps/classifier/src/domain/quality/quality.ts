import { computeWilsonInterval } from "@switchyard/statistics";
import type { Interval } from "@switchyard/statistics";
import { computeRiskCoverage, countByThreshold, findThreshold } from "./risk-coverage.ts";
import type { QualityThreshold, RiskCoveragePoint } from "./risk-coverage.ts";
import type { DecisionRule, ReviewedDecision } from "./reviewed-decision.ts";

/** How well documents are decided for a route. */
export interface RouteQuality {
  readonly routeId: string;
  readonly routeName: string;
  readonly precision: number | null;
  readonly precisionCi95: Interval | null;
  readonly recall: number | null;
  readonly recallCi95: Interval | null;
  /** The number of documents that belong to the route. */
  readonly support: number;
}

/** How well a classifier decides. */
export interface Quality {
  readonly reviewed: number;
  readonly confusion: readonly {
    readonly reviewed: string | null;
    readonly decided: string | null;
    readonly count: number;
  }[];
  readonly routes: readonly RouteQuality[];
  readonly riskCoverage: readonly RiskCoveragePoint[];
  readonly calibrationError: number | null;
  readonly threshold: QualityThreshold | null;
}

/** What the quality of decisions is computed for. */
export interface QualityOptions extends DecisionRule {
  /** The routes of the classifier, in their order. */
  readonly routes: readonly { readonly id: string; readonly name: string }[];
  /** The precision that a threshold is wanted for. */
  readonly precision: number | undefined;
}

const maxPoints = 200;
const calibrationBins = 10;

/** Computes how well decisions agree with their reviews. */
export function computeQuality(decisions: readonly ReviewedDecision[], options: QualityOptions): Quality {
  const { routes, precision, ...rule } = options;
  const counts = countByThreshold(decisions, rule);
  return {
    reviewed: decisions.length,
    confusion: countConfusion(decisions, routes),
    routes: routes.map((route) => computeRouteQuality(decisions, route)),
    riskCoverage: computeRiskCoverage(counts, decisions.length, maxPoints),
    calibrationError: computeCalibrationError(decisions),
    threshold: precision === undefined ? null : findThreshold(counts, decisions.length, precision),
  };
}

/** Counts decisions by review and outcome, in the order of the routes, then removed routes by ID, and null last. */
function countConfusion(
  decisions: readonly ReviewedDecision[],
  routes: QualityOptions["routes"],
): Quality["confusion"] {
  const place = new Map(routes.map(({ id }, index) => [id, String(index).padStart(6, "0")]));
  const getRank = (id: string | null): string => (id === null ? "~" : (place.get(id) ?? `x ${id}`));
  const counts = new Map<string, { reviewed: string | null; decided: string | null; count: number }>();
  for (const { reviewed, decided } of decisions) {
    const key = `${getRank(reviewed)} ${getRank(decided)}`;
    const cell = counts.get(key);
    if (cell === undefined) counts.set(key, { reviewed, decided, count: 1 });
    else cell.count += 1;
  }
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, cell]) => cell);
}

function computeRouteQuality(
  decisions: readonly ReviewedDecision[],
  { id, name }: QualityOptions["routes"][number],
): RouteQuality {
  let [decided, support, right] = [0, 0, 0];
  for (const each of decisions) {
    if (each.decided === id) decided += 1;
    if (each.reviewed === id) support += 1;
    if (each.decided === id && each.reviewed === id) right += 1;
  }
  return {
    routeId: id,
    routeName: name,
    precision: decided === 0 ? null : right / decided,
    precisionCi95: computeWilsonInterval(right, decided),
    recall: support === 0 ? null : right / support,
    recallCi95: computeWilsonInterval(right, support),
    support,
  };
}

/**
 * Computes the expected calibration error of the confidence in the best candidate: Σ |share of right ones - mean confidence| · share of
 * documents, over ten bins of equal width. Returns null if no document was scored. Naeini et al., AAAI 2015.
 */
export function computeCalibrationError(
  decisions: readonly Pick<ReviewedDecision, "reviewed" | "best">[],
): number | null {
  const bins = Array.from({ length: calibrationBins }, () => ({ confidence: 0, right: 0 }));
  let scored = 0;
  for (const { reviewed, best } of decisions) {
    if (best === null) continue;
    const bin = bins[Math.min(calibrationBins - 1, Math.floor(best.confidence * calibrationBins))];
    if (bin === undefined) continue;
    scored += 1;
    bin.confidence += best.confidence;
    bin.right += best.routeId === reviewed ? 1 : 0;
  }
  if (scored === 0) return null;
  return bins.reduce((sum, { confidence, right }) => sum + Math.abs(right - confidence), 0) / scored;
}
