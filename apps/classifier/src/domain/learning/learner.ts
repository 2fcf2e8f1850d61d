import type { RouteProfile, RouteScorer } from "../scoring/scorer.ts";
import { toDocumentTerms } from "../scoring/text-terms.ts";
import { fitBlend } from "./calibration/blending.ts";
import { fitDoubtDivisor } from "./calibration/confidence.ts";
import { isAlone, toBlendedTexts, toConfidenceSamples, toNearnessSamples } from "./calibration/left-out-texts.ts";
import { measureNearness } from "./calibration/nearness.ts";
import { fitNovelty } from "./calibration/novelty.ts";
import { createVocabulary, toFeatures, toVector } from "./features.ts";
import { MAX_LEARNED_CHARACTERS, type LabelledText } from "./labelled-text.ts";
import type { LearnedState } from "./learned-state.ts";
import { fitRidge, multiplyPairs, type Ridge } from "./ridge.ts";
import { buildTables } from "./tables.ts";

/** The version of what is learned. Increase it if the same texts teach something else, or if what they teach leads to other scores. */
export const learnerVersion = 2;
/** The number of texts that the blend, the novelty and the confidence are fitted on. Scoring them cold takes most of the time of learning. */
const MAX_CALIBRATION_TEXTS = 250;
/** The lower bound of the typical score, by which others are divided. */
const MIN_TYPICAL_SCORE = 0.02;

/** A route as far as learning needs it. */
export type LearnedRoute = Pick<RouteProfile, "id" | "group">;

/**
 * Learns from labelled texts which documents belong to which route. `score` is the cold scorer of `routes`, with the scores in their
 * order; it knows no examples. Returns undefined if no text is labelled with one of the routes.
 *
 * A ridge regression on term vectors gives each route a learned score. Its weight beside the cold score, and the temperature of both, have
 * the highest likelihood for texts that are left out of learning. How near documents are to the routes when they belong to one of them,
 * and when their own route is left out, shows how documents of unknown kinds are recognized. How often the decisions on left-out texts
 * are right calibrates the confidence. The order of the texts has no effect.
 */
export function learn(
  labelled: readonly LabelledText[],
  routes: readonly LearnedRoute[],
  score: RouteScorer,
): LearnedState | undefined {
  const known = new Set(routes.map(({ id }) => id));
  const texts = labelled
    .filter(({ routeId }) => routeId === null || known.has(routeId))
    .toSorted((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0));
  const labelledIds = new Set(texts.map(({ routeId }) => routeId));
  const routeIds = [...known].filter((id) => labelledIds.has(id)).sort();
  if (routeIds.length === 0) return undefined;
  const hasOutside = labelledIds.has(null);
  const classCount = Math.max(2, routeIds.length + Number(hasOutside));
  const classByRoute = new Map<string | null, number>(routeIds.map((id, index) => [id, index]));
  const classes = texts.map(({ routeId }) => classByRoute.get(routeId) ?? routeIds.length);

  const documents = texts.map(({ text }) => toFeatures(toDocumentTerms(text.slice(0, MAX_LEARNED_CHARACTERS))));
  const vocabulary = createVocabulary(documents);
  const vectors = documents.map((document) => toVector(document, vocabulary));
  const products = multiplyPairs(vectors, vocabulary.names.length);
  const ridge = fitRidge(products, classes, classCount);
  const nearness = measureNearness(products, classes, routeIds.length);

  const step = Math.ceil(texts.length / MAX_CALIBRATION_TEXTS);
  const calibrationTexts = texts
    .map(({ text }, index) => ({ text, index }))
    .filter(({ index }) => index % step === 0)
    .map(({ text, index }) => ({ index, cold: score(text.slice(0, MAX_LEARNED_CHARACTERS)) }));
  const typicalScore = Math.max(MIN_TYPICAL_SCORE, getMeanOwnScore(ridge, classes, classCount, routeIds.length));
  const outsidePrior = getOutsidePrior(classes, routeIds.length);
  const input = {
    ...{ texts: calibrationTexts, routes, classByRoute, classes, classCount },
    ...{ hasOutside, outsidePrior, typicalScore, ridge, nearness },
  };
  const leftOut = toBlendedTexts(input);
  const blend = fitBlend(leftOut, texts.length / classCount, routeIds.length === known.size);
  const novelty = fitNovelty(toNearnessSamples(input, blend));
  return {
    routeIds,
    hasOutside,
    outsidePrior,
    ...buildTables(vocabulary, vectors, classes, ridge.coefficients, classCount, routeIds.length),
    typicalCosines: Float32Array.from(nearness.typical),
    typicalScore,
    blend,
    novelty,
    doubtDivisor: fitDoubtDivisor(toConfidenceSamples(leftOut, input, blend, novelty)),
  };
}

/** Returns the logarithm of the number of texts outside all routes, relative to the mean number of a route's texts; at most 0. */
function getOutsidePrior(classes: readonly number[], routeCount: number): number {
  const outside = classes.filter((each) => each === routeCount).length;
  return Math.min(0, Math.log((Math.max(1, outside) * routeCount) / Math.max(1, classes.length - outside)));
}

function getMeanOwnScore(ridge: Ridge, classes: readonly number[], classCount: number, routeCount: number): number {
  const own = classes.flatMap((each, index) =>
    each < routeCount && !isAlone(classes, index) ? [ridge.leftOut[index * classCount + each]!] : [],
  );
  return own.length === 0 ? 0 : Math.max(0, own.reduce((sum, value) => sum + value, 0) / own.length);
}
