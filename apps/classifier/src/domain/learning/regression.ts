import { extendTerms, MAX_SCORED_CHARACTERS, type DocumentTerms } from "../scoring/text-terms.ts";
import { fitBlend, getLearnedLikelihood, MIN_COMPARED_TEXTS } from "./calibration/blending.ts";
import { measureCosines } from "./calibration/cosines.ts";
import { isAlone, toBlendedTexts, type CalibrationInput, type LeftOutText } from "./calibration/left-out-texts.ts";
import { measureNearness } from "./calibration/nearness.ts";
import { measureRefutation } from "./calibration/refutation.ts";
import { toFeatures, toTextVectors, type TextVectors } from "./features.ts";
import { MAX_LEARNED_CHARACTERS } from "./labeled-text.ts";
import type { Blend } from "./learned-state.ts";
import { fitRidge, multiplyPairs, type Ridge } from "./ridge.ts";

/** The lower bound of the typical score, by which others are divided. */
const MIN_TYPICAL_SCORE = 0.02;

/**
 * The least number of classes in how rare a term is. Where all texts are of one class, others exist that have none yet: without them, what all
 * texts have in common would weigh nothing.
 */
const MIN_CLASSES = 3;

/** The labeled texts, with the terms of the part that is scored, and their classes. */
export interface Labels extends Omit<CalibrationInput, "typicalScore" | "ridge" | "nearness" | "refuted"> {
  readonly documents: readonly { readonly text: string; readonly terms: DocumentTerms }[];
}

/** A regression on a part of each text, and what it says about the texts that are left out of it. */
export interface Regression extends TextVectors {
  /** How much of each text it is on. */
  readonly characters: number;
  readonly input: CalibrationInput;
  readonly leftOut: readonly LeftOutText[];
}

/**
 * How much lower the likelihood of the texts that are left out may be with the longer part: the mean of its logarithm. With five examples a
 * route, it varies by nearly as much with the examples, and if in doubt, more of a document tells more about it.
 */
const MAX_LOSS = 0.02;

/**
 * Returns the regression on the part of the texts that distinguishes the routes, and the blend of its scores with the cold ones. The longer part
 * is tried if `isComplete`, which means that there are texts of every route, and if there are enough texts to compare.
 */
export function regressBest(labels: Labels, isComplete: boolean): Regression & { readonly blend: Blend } {
  const textsOfRoute = labels.classes.length / labels.classCount;
  let best = regress(labels, MAX_SCORED_CHARACTERS);
  const hasLonger = labels.documents.some(({ text }) => text.length > MAX_SCORED_CHARACTERS);
  if (isComplete && hasLonger && best.leftOut.length >= MIN_COMPARED_TEXTS) {
    const longer = regress(labels, MAX_LEARNED_CHARACTERS);
    const loss = getLearnedLikelihood(best.leftOut, textsOfRoute) - getLearnedLikelihood(longer.leftOut, textsOfRoute);
    if (loss <= MAX_LOSS) best = longer;
  }
  return { ...best, blend: fitBlend(best.leftOut, textsOfRoute, isComplete) };
}

function regress(labels: Labels, characters: number): Regression {
  const { documents, classes, classCount, classByRoute } = labels;
  const { vocabulary, vectors } = toTextVectors(
    documents.map(({ text, terms }) => toFeatures(extendTerms(terms, text, characters, { asWritten: false }))),
    classes,
    Math.max(MIN_CLASSES, classCount),
  );
  const products = multiplyPairs(vectors, vocabulary.rarities.length);
  const ridge = fitRidge(products, classes, classCount);
  const routeCount = classByRoute.size;
  const cosines = measureCosines(products, classes, classCount);
  const nearness = measureNearness(cosines, classes, classCount, routeCount);
  const typicalScore = Math.max(MIN_TYPICAL_SCORE, getMeanOwnScore(ridge, classes, classCount, routeCount));
  const refuted = measureRefutation(labels, cosines);
  const input = { ...labels, typicalScore, ridge, nearness, refuted };
  return { characters, vocabulary, vectors, input, leftOut: toBlendedTexts(input) };
}

function getMeanOwnScore(ridge: Ridge, classes: readonly number[], classCount: number, routeCount: number): number {
  const own = classes.flatMap((each, index) =>
    each < routeCount && !isAlone(classes, index) ? [ridge.leftOut[index * classCount + each]!] : [],
  );
  return own.length === 0 ? 0 : Math.max(0, own.reduce((sum, value) => sum + value, 0) / own.length);
}
