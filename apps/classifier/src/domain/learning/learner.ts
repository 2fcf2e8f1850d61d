import type { RouteProfile, RouteScorer } from "../scoring/scorer.ts";
import { toDocumentTerms } from "../scoring/text-terms.ts";
import { fitDoubtDivisor } from "./calibration/confidence.ts";
import { toConfidenceSamples, toNearnessSamples, type CalibrationText } from "./calibration/left-out-texts.ts";
import { fitNovelty } from "./calibration/novelty.ts";
import type { LabeledText } from "./labeled-text.ts";
import type { LearnedState } from "./learned-state.ts";
import { createFeatureNumbering } from "./numbered-features.ts";
import { regressBest } from "./regression.ts";
import { buildTables } from "./tables.ts";

/** The version of what is learned. Increase it if the same texts teach something else, or if what they teach leads to other scores. */
export const learnerVersion = 4;
/** The number of texts that the blend, the novelty and the confidence are fitted on. Scoring them cold takes most of the time of learning. */
const MAX_CALIBRATION_TEXTS = 250;

/** A route as far as learning needs it. */
export type LearnedRoute = Pick<RouteProfile, "id" | "group">;

/**
 * Learns from labeled texts which documents belong to which route. `score` is the cold scorer of `routes`, with the scores in their
 * order; it knows no examples. Returns undefined if there is no route, or no text is labeled with one of the routes or as
 * belonging to none of them.
 *
 * A ridge regression on term vectors gives each route a learned score. Texts that the cold scorer takes for a route without texts refute
 * its cold scores. How much of the texts it reads, its weight beside the cold score, and the temperature of both have the highest likelihood
 * for texts that are left out of learning. How near documents are to the routes when they belong to one of them, and when their own route is
 * left out, shows how documents of unknown kinds are recognized. How often the decisions on left-out texts are right calibrates the
 * confidence. The order of the texts has no effect.
 */
export function learn(
  labeled: readonly LabeledText[],
  routes: readonly LearnedRoute[],
  score: RouteScorer,
): LearnedState | undefined {
  if (routes.length === 0) return undefined;
  const known = new Set(routes.map(({ id }) => id));
  const texts = labeled
    .filter(({ routeId }) => routeId === null || known.has(routeId))
    .toSorted((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
  const labeledIds = new Set(texts.map(({ routeId }) => routeId));
  const routeIds = [...known].filter((id) => labeledIds.has(id)).sort();
  const hasOutside = labeledIds.has(null);
  if (routeIds.length === 0 && !hasOutside) return undefined;
  const classCount = Math.max(2, routeIds.length + Number(hasOutside));
  const classByRoute = new Map<string | null, number>(routeIds.map((id, index) => [id, index]));
  const classes = texts.map(({ routeId }) => classByRoute.get(routeId) ?? routeIds.length);

  const step = Math.ceil(texts.length / MAX_CALIBRATION_TEXTS);
  const calibrationTexts: CalibrationText[] = [];
  const numbering = createFeatureNumbering();
  const documents = texts.map(({ text }, index) => {
    const document = toDocumentTerms(text, { asWritten: false });
    if (index % step === 0) calibrationTexts.push({ index, cold: score(text, { document, explain: false }) });
    return { text, features: numbering.number(document) };
  });
  const outsidePrior = getOutsidePrior(classes, routeIds.length);
  const labels = {
    documents,
    numbering,
    texts: calibrationTexts,
    routes,
    classByRoute,
    classes,
    classCount,
    hasOutside,
    outsidePrior,
  };
  const isComplete = routeIds.length === known.size;
  const { characters, vectors, input, leftOut, blend } = regressBest(labels, isComplete);
  const { ridge, nearness, typicalScore, refuted } = input;
  const novelty = fitNovelty(toNearnessSamples(input, blend));
  return {
    characters,
    routeIds,
    hasOutside,
    outsidePrior,
    ...buildTables(
      vectors,
      numbering.names,
      classes,
      ridge.coefficients,
      classCount,
      routeIds.length + Number(hasOutside),
    ),
    typicalCosines: Float32Array.from(nearness.typical),
    typicalScore,
    refutation: refuted.refutation,
    blend,
    novelty,
    doubtDivisor: fitDoubtDivisor(toConfidenceSamples(leftOut, input, blend, novelty)),
  };
}

/** Returns the logarithm of the number of texts outside all routes, relative to the mean number of a route's texts; at most 0. */
function getOutsidePrior(classes: readonly number[], routeCount: number): number {
  const outside = classes.filter((each) => each === routeCount).length;
  return Math.min(
    0,
    Math.log((Math.max(1, outside) * Math.max(1, routeCount)) / Math.max(1, classes.length - outside)),
  );
}
