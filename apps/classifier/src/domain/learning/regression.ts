import { countTerms, MAX_SCORED_CHARACTERS } from "../scoring/text-terms.ts";
import { fitBlend, getLearnedLikelihood, MIN_COMPARED_TEXTS } from "./calibration/blending.ts";
import { measureCosines } from "./calibration/cosines.ts";
import { isAlone, toBlendedTexts, type CalibrationInput, type LeftOutText } from "./calibration/left-out-texts.ts";
import { measureNearness } from "./calibration/nearness.ts";
import { measureRefutation } from "./calibration/refutation.ts";
import { MAX_LEARNED_CHARACTERS } from "./labeled-text.ts";
import type { Blend } from "./learned-state.ts";
import type { FeatureNumbering, NumberedFeatures } from "./numbered-features.ts";
import { fitRidge, multiplyPairs, type Ridge } from "./ridge.ts";
import { toTextVectors, type TextVectors } from "./text-vectors.ts";

/** The lower bound of the typical score, by which others are divided. */
const MIN_TYPICAL_SCORE = 0.02;

/**
 * The least number of classes in how rare a term is. Where all texts are of one class, others exist that have none yet: without them, what all
 * texts have in common would weigh nothing.
 */
const MIN_CLASSES = 3;

/** The labeled texts, with the features of the part that is scored, and their classes. */
export interface Labels extends Omit<CalibrationInput, "typicalScore" | "ridge" | "nearness" | "refuted"> {
  readonly documents: readonly { readonly text: string; readonly features: NumberedFeatures }[];
  readonly numbering: FeatureNumbering;
}

/** A regression on a part of each text, and what it says about the texts that are left out of it. */
export interface Regression {
  /** How much of each text it is on. */
  readonly characters: number;
  readonly vectors: TextVectors;
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
  const { documents, numbering, classes, classCount, classByRoute } = labels;
  const features = documents.map((document) => toFeaturesUpTo(characters, document, numbering));
  const vectors = toTextVectors(features, numbering.names.length, classes, Math.max(MIN_CLASSES, classCount));
  const products = multiplyPairs(vectors.vectors, vectors.features.length);
  const ridge = fitRidge(products, classes, classCount);
  const routeCount = classByRoute.size;
  const cosines = measureCosines(products, classes, classCount);
  const nearness = measureNearness(cosines, classes, classCount, routeCount);
  const typicalScore = Math.max(MIN_TYPICAL_SCORE, getMeanOwnScore(ridge, classes, classCount, routeCount));
  const refuted = measureRefutation(labels, cosines);
  const input = { ...labels, typicalScore, ridge, nearness, refuted };
  return { characters, vectors, input, leftOut: toBlendedTexts(input) };
}

/** Returns the features of the first `characters` of a text, of which those of the part that is scored are known. */
function toFeaturesUpTo(
  characters: number,
  { text, features }: Labels["documents"][number],
  numbering: FeatureNumbering,
): NumberedFeatures {
  const rest = text.slice(MAX_SCORED_CHARACTERS, characters);
  return rest === "" ? features : numbering.extend(features, countTerms(rest));
}

function getMeanOwnScore(ridge: Ridge, classes: readonly number[], classCount: number, routeCount: number): number {
  const own = classes.flatMap((each, index) =>
    each < routeCount && !isAlone(classes, index) ? [ridge.leftOut[index * classCount + each]!] : [],
  );
  return own.length === 0 ? 0 : Math.max(0, own.reduce((sum, value) => sum + value, 0) / own.length);
}
