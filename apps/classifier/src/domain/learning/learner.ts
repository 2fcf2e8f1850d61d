import type { RouteProfile, RouteScorer } from "../scoring/scorer.ts";
import { toDocumentTerms } from "../scoring/text-terms.ts";
import { fitBlend, getLogit, getUntaughtScore, OUTSIDE_COLD_SCORE, type BlendedText } from "./blending.ts";
import { createVocabulary, toFeatures, toVector } from "./features.ts";
import { MAX_LEARNED_CHARACTERS, type LabelledText } from "./labelled-text.ts";
import type { Blend, LearnedState } from "./learned-state.ts";
import { measureNearness, type Nearness } from "./nearness.ts";
import { fitNovelty, type NearnessSample } from "./novelty.ts";
import { fitRidge, multiplyPairs, type Ridge } from "./ridge.ts";
import { buildTables } from "./tables.ts";

/** The number of texts that the blend and the novelty are fitted on. Scoring them cold takes most of the time of learning. */
const MAX_CALIBRATION_TEXTS = 250;
/** The lower bound of the typical score, by which others are divided. */
const MIN_TYPICAL_SCORE = 0.02;

/** A route as far as learning needs it. */
export type LearnedRoute = Pick<RouteProfile, "id" | "group">;

/** A labelled text for calibration, with the cold scores of all routes. */
interface CalibrationText {
  readonly index: number;
  readonly cold: readonly { readonly score: number; readonly strength: number }[];
}

/**
 * Learns from labelled texts which documents belong to which route. `score` is the cold scorer of `routes`, with the scores in their
 * order; it knows no examples. Returns undefined if no text is labelled with one of the routes.
 *
 * A ridge regression on term vectors gives each route a learned score. Its weight beside the cold score, and the temperature of both, have
 * the highest likelihood for texts that are left out of learning. How near documents are to the routes when they belong to one of them,
 * and when their own route is left out, shows how documents of unknown kinds are recognized. The order of the texts has no effect.
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
  const calibration = texts
    .map(({ text }, index) => ({ text, index }))
    .filter(({ index }) => index % step === 0)
    .map(({ text, index }) => ({ index, cold: score(text.slice(0, MAX_LEARNED_CHARACTERS)) }));
  const typicalScore = Math.max(MIN_TYPICAL_SCORE, getMeanOwnScore(ridge, classes, classCount, routeIds.length));
  const input = { routes, classByRoute, classes, classCount, hasOutside, typicalScore, ridge };
  const blend = fitBlend(
    calibration.flatMap((text) => toBlendedText(text, input)),
    texts.length / classCount,
  );
  return {
    routeIds,
    hasOutside,
    outsidePrior: getOutsidePrior(classes, routeIds.length),
    ...buildTables(vocabulary, vectors, classes, ridge.coefficients, classCount, routeIds.length),
    typicalCosines: Float32Array.from(nearness.typical),
    typicalScore,
    blend,
    novelty: fitNovelty(toNearnessSamples(calibration, nearness, blend, input)),
  };
}

/** Returns the logarithm of the number of texts outside all routes, relative to the mean number of a route's texts; at most 0. */
function getOutsidePrior(classes: readonly number[], routeCount: number): number {
  const outside = classes.filter((each) => each === routeCount).length;
  return Math.min(0, Math.log((Math.max(1, outside) * routeCount) / Math.max(1, classes.length - outside)));
}

interface CalibrationInput {
  readonly routes: readonly LearnedRoute[];
  readonly classByRoute: ReadonlyMap<string | null, number>;
  readonly classes: readonly number[];
  readonly classCount: number;
  readonly hasOutside: boolean;
  readonly typicalScore: number;
  readonly ridge: Ridge;
}

function isAlone(classes: readonly number[], index: number): boolean {
  return classes.indexOf(classes[index]!) === classes.lastIndexOf(classes[index]!);
}

/** Returns the learned scores of the routes for a text by a regression; undefined for routes without labelled texts. */
function getLearnedScores(
  scores: Float64Array,
  index: number,
  { routes, classByRoute, classCount }: CalibrationInput,
): (number | undefined)[] {
  return routes.map(({ id }) => {
    const each = classByRoute.get(id);
    return each === undefined ? undefined : scores[index * classCount + each]!;
  });
}

/** Returns the scores of a text that was left out of learning, unless it is the only one of its class: then nothing is left to learn from. */
function toBlendedText({ index, cold }: CalibrationText, input: CalibrationInput): BlendedText[] {
  const { routes, classByRoute, classes, classCount, hasOutside, typicalScore, ridge } = input;
  if (isAlone(classes, index)) return [];
  const learned = getLearnedScores(ridge.leftOut, index, input).map(
    (score, place) => score ?? getUntaughtScore(cold[place]!.score, typicalScore),
  );
  const scores = cold.map((each) => each.score);
  const ownClass = classes[index]!;
  const target = routes.findIndex(({ id }) => classByRoute.get(id) === ownClass);
  if (hasOutside) {
    learned.push(ridge.leftOut[index * classCount + classCount - 1]!);
    scores.push(OUTSIDE_COLD_SCORE);
  }
  return [{ learned, cold: scores, target: target === -1 ? routes.length : target }];
}

/** The weight of a text as an example of an unknown kind, if its route is left out: few documents are of an unknown kind. */
const UNKNOWN_WEIGHT = 0.3;

/**
 * Measures how near texts are to the routes, when they are left out of learning and when their route is. Where a route without labelled texts is
 * the best one, the regression does not decide, and there is no sample.
 */
function toNearnessSamples(
  calibration: readonly CalibrationText[],
  nearness: Nearness,
  blend: Blend,
  input: CalibrationInput,
): NearnessSample[] {
  const { routes, classByRoute, classes, typicalScore, ridge } = input;
  const groupByRoute = new Map(routes.map(({ id, group }) => [id, group ?? id]));
  return calibration.flatMap(({ index, cold }) => {
    const own = classes[index]!;
    const ownGroups = new Set(
      routes.filter(({ id }) => classByRoute.get(id) === own).map(({ id }) => groupByRoute.get(id)),
    );
    const places = routes.map((_, place) => place);
    const others = places.filter((place) => !ownGroups.has(groupByRoute.get(routes[place]!.id)));
    const measure = (among: readonly number[], scores: Float64Array) => {
      const learned = getLearnedScores(scores, index, input);
      let best: number | undefined;
      let highest = -Infinity;
      for (const place of among) {
        const score = learned[place];
        const logit = getLogit(blend, score ?? getUntaughtScore(cold[place]!.score, typicalScore), cold[place]!.score);
        if (logit > highest) [highest, best] = [logit, score];
      }
      const strength = among.reduce((most, place) => Math.max(most, cold[place]!.strength), 0);
      return best === undefined ? [] : [{ strength, learned: best / typicalScore }];
    };
    const unknown = measure(others, ownGroups.size === 0 ? ridge.leftOut : ridge.unknown).map((measures) => ({
      ...{ ...measures, cosine: nearness.toOthers[index]!, known: false },
      weight: ownGroups.size === 0 ? 1 : UNKNOWN_WEIGHT,
    }));
    if (ownGroups.size === 0) return unknown;
    const cosine = Math.max(nearness.toOwn[index]!, nearness.toOthers[index]!);
    const known = isAlone(classes, index)
      ? []
      : measure(places, ridge.leftOut).map((measures) => ({ ...measures, cosine, known: true, weight: 1 }));
    return [...(nearness.routes > 1 ? unknown : []), ...known];
  });
}

function getMeanOwnScore(ridge: Ridge, classes: readonly number[], classCount: number, routeCount: number): number {
  const own = classes.flatMap((each, index) =>
    each < routeCount && !isAlone(classes, index) ? [ridge.leftOut[index * classCount + each]!] : [],
  );
  return own.length === 0 ? 0 : Math.max(0, own.reduce((sum, value) => sum + value, 0) / own.length);
}
