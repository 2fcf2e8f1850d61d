import type { RouteProfile } from "../../scoring/scorer.ts";
import type { Blend, Novelty } from "../learned-state.ts";
import type { Ridge } from "../ridge.ts";
import { getLogit, getUntaughtScore, refute, OUTSIDE_COLD_SCORE, type BlendedText } from "./blending.ts";
import { getStanding, toShares, type ConfidenceSample } from "./confidence.ts";
import type { Nearness } from "./nearness.ts";
import { getKnownShare, type NearnessSample } from "./novelty.ts";
import { getRefutedShares, type MeasuredRefutation } from "./refutation.ts";

/** A labeled text for calibration, with the cold scores of all routes. */
export interface CalibrationText {
  readonly index: number;
  readonly cold: readonly { readonly score: number; readonly strength: number }[];
}

/** What is known about labeled texts, some of which are for calibration. */
export interface CalibrationInput {
  readonly texts: readonly CalibrationText[];
  readonly routes: readonly Pick<RouteProfile, "id" | "group">[];
  readonly classByRoute: ReadonlyMap<string | null, number>;
  /** The classes of all labeled texts. */
  readonly classes: readonly number[];
  readonly classCount: number;
  readonly hasOutside: boolean;
  readonly outsidePrior: number;
  readonly typicalScore: number;
  readonly ridge: Ridge;
  readonly nearness: Nearness;
  readonly refuted: MeasuredRefutation;
}

/** Returns whether a text is the only one of its class: if it is left out, nothing is left to learn from. */
export function isAlone(classes: readonly number[], index: number): boolean {
  return classes.indexOf(classes[index]!) === classes.lastIndexOf(classes[index]!);
}

/** Returns the learned scores of the routes for a text by a regression; undefined for routes without labeled texts. */
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

/** Returns the cold scores of a text, as far as the other texts do not refute them, or those of the classes that are known. */
function getColdScores(
  { index, cold }: CalibrationText,
  { routes, refuted, classCount }: CalibrationInput,
  isKnown: (each: number) => boolean = () => true,
): readonly number[] {
  const shares = getRefutedShares(routes, refuted.leaveOut(index), (each) =>
    isKnown(each) ? refuted.cosines[index * classCount + each]! : 0,
  );
  return cold.map(({ score }, place) => refute(score, shares[place]!));
}

/** The scores of a text that was left out of learning, by all routes and, if there is one, the class outside them. */
export interface LeftOutText extends BlendedText {
  readonly index: number;
  readonly learned: readonly number[];
  /** The highest strength of its cold scores. */
  readonly strength: number;
}

/** Returns the scores of the texts if they are left out of learning, except of those that are alone. */
export function toBlendedTexts(input: CalibrationInput): LeftOutText[] {
  const { routes, classByRoute, classes, classCount, hasOutside, typicalScore, ridge } = input;
  return input.texts.flatMap((text) => {
    const { index, cold } = text;
    if (isAlone(classes, index)) return [];
    const scores = [...getColdScores(text, input)];
    const learned = getLearnedScores(ridge.leftOut, index, input).map(
      (score, place) => score ?? getUntaughtScore(scores[place]!, typicalScore),
    );
    const ownClass = classes[index]!;
    const target = routes.findIndex(({ id }) => classByRoute.get(id) === ownClass);
    if (hasOutside) {
      learned.push(ridge.leftOut[index * classCount + classByRoute.size]!);
      scores.push(OUTSIDE_COLD_SCORE);
    }
    const strength = cold.reduce((most, each) => Math.max(most, each.strength), 0);
    return [{ index, learned, cold: scores, target: target === -1 ? routes.length : target, strength }];
  });
}

/** The weight of a text as an example of an unknown kind, if its route is left out: few documents are of an unknown kind. */
const UNKNOWN_WEIGHT = 0.3;

/**
 * Measures how near texts are to the routes, when they are left out of learning and when their route is. Where a route without labeled texts is
 * the best one, the regression does not decide, and there is no sample.
 */
export function toNearnessSamples(input: CalibrationInput, blend: Blend): NearnessSample[] {
  const { routes, classByRoute, classes, typicalScore, ridge, nearness } = input;
  const groupByRoute = new Map(routes.map(({ id, group }) => [id, group ?? id]));
  return input.texts.flatMap((text) => {
    const { index, cold } = text;
    const own = classes[index]!;
    const ownGroups = new Set(
      routes.filter(({ id }) => classByRoute.get(id) === own).map(({ id }) => groupByRoute.get(id)),
    );
    const places = routes.map((_, place) => place);
    const others = places.filter((place) => !ownGroups.has(groupByRoute.get(routes[place]!.id)));
    const measure = (among: readonly number[], scores: Float64Array, coldScores: readonly number[]) => {
      const learned = getLearnedScores(scores, index, input);
      let best: number | undefined;
      let highest = -Infinity;
      for (const place of among) {
        const score = learned[place];
        const coldScore = coldScores[place]!;
        const logit = getLogit(blend, score ?? getUntaughtScore(coldScore, typicalScore), coldScore);
        if (logit > highest) [highest, best] = [logit, score];
      }
      const strength = among.reduce((most, place) => Math.max(most, cold[place]!.strength), 0);
      return best === undefined ? [] : [{ strength, learned: best / typicalScore }];
    };
    const left = getColdScores(text, input);
    const [scores, coldScores] =
      ownGroups.size === 0
        ? [ridge.leftOut, left]
        : [ridge.unknown, getColdScores(text, input, (each) => each !== own)];
    const unknown = measure(others, scores, coldScores).map((measures) => ({
      ...{ ...measures, cosine: nearness.toOthers[index]!, known: false },
      weight: ownGroups.size === 0 ? 1 : UNKNOWN_WEIGHT,
    }));
    if (ownGroups.size === 0) return unknown;
    const cosine = Math.max(nearness.toOwn[index]!, nearness.toOthers[index]!);
    const known = isAlone(classes, index)
      ? []
      : measure(places, ridge.leftOut, left).map((measures) => ({ ...measures, cosine, known: true, weight: 1 }));
    return [...(nearness.routes > 1 ? unknown : []), ...known];
  });
}

/**
 * Returns how sure the decisions on the texts are if these are left out of learning, and whether they are right. There are no samples if a
 * type of documents has no labeled texts: nothing shows how often its documents are taken for others.
 */
export function toConfidenceSamples(
  texts: readonly LeftOutText[],
  input: CalibrationInput,
  blend: Blend,
  novelty: Novelty,
): ConfidenceSample[] {
  const { routes, classByRoute, hasOutside, outsidePrior, typicalScore, nearness } = input;
  const groups = routes.map(({ id, group = id }) => group);
  const taught = new Set(groups.filter((_, place) => classByRoute.has(routes[place]!.id)));
  if (groups.some((group) => !taught.has(group))) return [];
  return texts.flatMap(({ index, learned, cold, target, strength }) => {
    const logits = learned.map((score, place) => getLogit(blend, score, cold[place]!));
    const outside = hasOutside ? logits.pop()! + outsidePrior : -Infinity;
    const best = logits.indexOf(Math.max(...logits));
    // The scorer does not calibrate decisions for routes without labeled texts.
    if (!classByRoute.has(routes[best]!.id)) return [];
    const known = getKnownShare(novelty, {
      cosine: Math.max(nearness.toOwn[index]!, nearness.toOthers[index]!),
      strength,
      learned: learned[best]! / typicalScore,
    });
    const confidences = toShares(logits, groups, outside).map((share) => known * share);
    return [{ ...getStanding(confidences, groups, best), right: groups[best] === groups[target] }];
  });
}
