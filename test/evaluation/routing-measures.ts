import { decide } from "@switchyard/classifier/domain/decision/decision";
import type { RouteProfile, RouteScore } from "@switchyard/classifier/domain/scoring/scorer";
import { NOWHERE } from "./routing-set.ts";

/** A document with its scores. */
export interface ScoredDocument {
  readonly label: string;
  readonly scores: readonly RouteScore[];
}

/** The measures of routing, each between 0 and 1; NaN where nothing was measured. */
export interface RoutingMeasures {
  /** The share of documents whose best route is theirs. */
  readonly right: number;
  /** The share that also was answered. */
  readonly rightAnswered: number;
  readonly coverage: number;
  readonly accuracyOfAnswers: number;
  /** The share of right answers if the least certain are left out, so that at most `MAX_COVERAGE` of the documents are answered. */
  readonly accuracyOfCertain: number;
  readonly macroF1: number;
  /** The share of its documents that the best route is right for, of the route where it is lowest. Of routes with at least 5 documents. */
  readonly worstRecall: number;
  /** The same share of documents that were answered right. */
  readonly worstAnswered: number;
  readonly errorOfAnswers: number;
  /** What the error of answers would be by chance if each confidence were exactly the probability of being right. */
  readonly chanceOfAnswers: number;
  readonly errorOfAll: number;
  readonly rejected: number;
}

/** The coverage up to which the accuracy of answers is measured in addition. */
export const MAX_COVERAGE = 0.95;
const BINS = 10;
const MIN_DOCUMENTS = 5;

function share(part: number, whole: number): number {
  return whole === 0 ? NaN : part / whole;
}

/** Returns the expected calibration error: the mean distance of confidence and accuracy in ten bins. */
function getCalibrationError(answers: readonly { confidence: number; right: boolean }[]): number {
  const bins = Map.groupBy(answers, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  let error = 0;
  for (const bin of bins.values()) {
    const right = bin.filter((each) => each.right).length;
    error += Math.abs(bin.reduce((sum, { confidence }) => sum + confidence, 0) - right);
  }
  return share(error, answers.length);
}

/** Returns the calibration error that is to be expected by chance of answers that are right with the probability of their confidence. */
function getChanceError(answers: readonly { confidence: number }[]): number {
  const bins = Map.groupBy(answers, ({ confidence }) => Math.min(BINS - 1, Math.floor(confidence * BINS)));
  let error = 0;
  for (const bin of bins.values()) {
    // The mean distance of a normal distribution from its mean.
    error += Math.sqrt((2 / Math.PI) * bin.reduce((sum, { confidence }) => sum + confidence * (1 - confidence), 0));
  }
  return share(error, answers.length);
}

/** Returns the share of right ones among the most certain answers to `size` documents. */
function getAccuracyOfCertain(answers: readonly { confidence: number; right: boolean }[], size: number): number {
  const certain = answers.toSorted((a, b) => b.confidence - a.confidence).slice(0, Math.ceil(MAX_COVERAGE * size));
  return share(certain.filter(({ right }) => right).length, certain.length);
}

/** Decides on a document with the default thresholds. */
export function decideWithDefaults(routes: readonly RouteProfile[], scores: readonly RouteScore[]) {
  return decide({
    routes: routes.map(({ id, name }) => ({
      routeId: id,
      name,
      modelId: id,
      deploymentId: null,
      createdAt: new Date(0),
      minConfidence: null,
      excluded: null,
    })),
    scores,
    settings: { minConfidence: null, minMargin: null },
  });
}

/** Measures the routing of documents. */
export function measureRouting(routes: readonly RouteProfile[], documents: readonly ScoredDocument[]): RoutingMeasures {
  const results = documents.map(({ label, scores }) => {
    const decision = decideWithDefaults(routes, scores);
    const best = scores.reduce((winner, each) => (each.score > winner.score ? each : winner));
    const answer = decision.status === "CLASSIFIED" ? decision.routeId : null;
    return { label, best: best.routeId, confidence: best.score, answer, right: best.routeId === label };
  });
  const inside = results.filter(({ label }) => label !== NOWHERE);
  const outside = results.filter(({ label }) => label === NOWHERE);
  const answered = inside.filter(({ answer }) => answer !== null);
  const byLabel = [...Map.groupBy(inside, ({ label }) => label)].map(([label, own]) => {
    const hits = own.filter(({ right }) => right).length;
    const chosen = inside.filter(({ best }) => best === label).length;
    const hitsAnswered = own.filter(({ answer }) => answer === label).length;
    return {
      size: own.length,
      recall: hits / own.length,
      answered: hitsAnswered / own.length,
      f1: (2 * hits) / (own.length + chosen),
    };
  });
  const large = byLabel.filter(({ size }) => size >= MIN_DOCUMENTS);
  return {
    right: share(inside.filter(({ right }) => right).length, inside.length),
    rightAnswered: share(inside.filter(({ label, answer }) => answer === label).length, inside.length),
    coverage: share(answered.length, inside.length),
    accuracyOfAnswers: share(answered.filter(({ label, answer }) => answer === label).length, answered.length),
    accuracyOfCertain: getAccuracyOfCertain(answered, inside.length),
    macroF1: share(
      byLabel.reduce((sum, { f1 }) => sum + f1, 0),
      byLabel.length,
    ),
    worstRecall: Math.min(...large.map(({ recall }) => recall)),
    worstAnswered: Math.min(...large.map(({ answered: hits }) => hits)),
    errorOfAnswers: getCalibrationError(answered),
    chanceOfAnswers: getChanceError(answered),
    errorOfAll: getCalibrationError(inside),
    rejected: share(outside.filter(({ answer }) => answer === null).length, outside.length),
  };
}

/** Returns the mean of each measure. */
export function averageMeasures(measures: readonly RoutingMeasures[]): RoutingMeasures {
  const [first] = measures;
  const names = Object.keys(first ?? {}) as (keyof RoutingMeasures)[];
  return Object.fromEntries(
    names.map((name) => [name, measures.reduce((sum, each) => sum + each[name], 0) / measures.length]),
  ) as unknown as RoutingMeasures;
}
