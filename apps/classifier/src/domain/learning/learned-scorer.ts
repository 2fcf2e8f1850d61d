import type { RouteScore, RouteScorer, ScoringOptions } from "../scoring/scorer.ts";
import { extendTerms, toDocumentTerms, type DocumentTerms } from "../scoring/text-terms.ts";
import { getLogit, getUntaughtScore, refute, OUTSIDE_COLD_SCORE } from "./calibration/blending.ts";
import { calibrate, toShares } from "./calibration/confidence.ts";
import { getKnownShare, UNMEASURED_NOVELTY } from "./calibration/novelty.ts";
import { getRefutedShares } from "./calibration/refutation.ts";
import { getTerm, toFeatures, toVector, type SparseVector, type Vocabulary } from "./features.ts";
import type { LearnedRoute } from "./learner.ts";
import type { LearnedState } from "./learned-state.ts";

const MAX_EVIDENCE_TERMS = 8;

/** Scores texts with what was learned, by the cold scorer of routes, which knows no examples. */
export type LearnedScorer = (
  routes: readonly LearnedRoute[],
  score: RouteScorer,
  text: string,
  options?: Pick<ScoringOptions, "explain">,
) => RouteScore[];

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/**
 * Creates the scorer of a learned state. The score of a route is the probability that the document is of a known kind, times that of the
 * route among all routes of other groups, calibrated. Routes of one group do not compete: the best has the probability of the group, and
 * the others relatively less. The evidence contains terms with positive weights, which speak for the route, and with negative weights, which speak
 * against it, as shares of the logit.
 */
export function createLearnedScorer(state: LearnedState): LearnedScorer {
  const names = state.features.split("\n").slice(0, -1);
  const vocabulary: Vocabulary = {
    indexByName: new Map(names.map((name, index) => [name, index])),
    rarities: state.rarities,
    unseen: state.unseen,
  };
  const routeCount = state.routeIds.length;
  const classCount = names.length === 0 ? routeCount : state.weights.length / names.length;
  const placeByRoute = new Map(state.routeIds.map((id, index) => [id, index]));

  function project({ indexes, values }: SparseVector, table: Float32Array, width: number): Float64Array {
    const sums = new Float64Array(width);
    for (let place = 0; place < indexes.length; place++) {
      const start = indexes[place]! * width;
      const value = values[place]!;
      for (let each = 0; each < width; each++) sums[each]! += table[start + each]! * value;
    }
    return sums;
  }

  /** Returns the highest cosine to the centroid of a route, relative to what is typical of that route. */
  function getNearest(cosines: Float64Array): number {
    return state.typicalCosines.reduce((best, typical, route) => Math.max(best, cosines[route]! / typical), 0);
  }

  /** Returns what each term contributes to the logit of each class: `[class][slot]`. */
  function getContributions({ indexes, values }: SparseVector, { slots, terms }: TermSlots): Float64Array[] {
    const contributions = Array.from({ length: classCount }, () => new Float64Array(terms.length));
    for (let position = 0; position < indexes.length; position++) {
      const from = indexes[position]! * classCount;
      const slot = slots[position]!;
      const value = state.blend.learned * values[position]!;
      // Rows of the table are contiguous in memory.
      for (let each = 0; each < classCount; each++) contributions[each]![slot]! += state.weights[from + each]! * value;
    }
    return contributions;
  }

  /** Returns the terms that speak for and against a route. Changes `weights`, which are what the terms contribute to its learned score. */
  function findEvidence(
    weights: Float64Array,
    { slotByTerm, terms }: TermSlots,
    { evidence, score }: RouteScore,
  ): RouteScore["evidence"] {
    // What the cold score adds to the logit, as compared to a score of 0, is shared among its terms.
    const total = evidence.reduce((sum, { weight }) => sum + weight, 0);
    const gain = getLogit(state.blend, 0, score) - getLogit(state.blend, 0, 0);
    const unslotted: { term: string; weight: number }[] = [];
    for (const { term, weight } of evidence) {
      const slot = slotByTerm.get(term);
      if (slot === undefined) unslotted.push({ term, weight: (gain * weight) / total });
      else weights[slot]! += (gain * weight) / total;
    }
    return selectStrongest(weights, terms, unslotted);
  }

  return (routes, score, text, { explain = true } = {}) => {
    const scored = toDocumentTerms(text);
    const cold = score(text, { document: scored, explain });
    const document = extendTerms(scored, text, state.characters);
    const vector = toVector(toFeatures(document), vocabulary);
    const cosines = project(vector, state.centroids, routeCount + Number(state.hasOutside));
    const refuted = getRefutedShares(routes, state.refutation, (each) => cosines[each] ?? 0);
    if (routeCount === 0) {
      return cold.map((each, index) => ({ ...each, score: round(each.score * (1 - refuted[index]!)) }));
    }
    const learned = project(vector, state.weights, classCount);
    const coldScores = cold.map(({ score: each }, index) => refute(each, refuted[index]!));
    const logits = routes.map(({ id }, index) =>
      getLogit(
        state.blend,
        learned[placeByRoute.get(id) ?? -1] ?? getUntaughtScore(coldScores[index]!, state.typicalScore),
        coldScores[index]!,
      ),
    );
    const groups = routes.map(({ id, group = id }) => group);
    const outside = state.hasOutside
      ? getLogit(state.blend, learned[routeCount] ?? 0, OUTSIDE_COLD_SCORE) + state.outsidePrior
      : -Infinity;
    const strength = cold.reduce((best, each) => Math.max(best, each.strength), 0);
    const best = logits.indexOf(Math.max(...logits));
    const ofBest = learned[placeByRoute.get(routes[best]?.id ?? "") ?? -1];
    const nearness = { cosine: getNearest(cosines), strength, learned: (ofBest ?? 0) / state.typicalScore };
    const novelty = ofBest === undefined ? UNMEASURED_NOVELTY : state.novelty;
    const known = document.counts.size === 0 ? 0 : getKnownShare(novelty, nearness);
    const confidences = toShares(logits, groups, outside).map((share) => known * share);
    // Where a route without labeled texts is the best one, what others have shown says nothing.
    const scores = ofBest === undefined ? confidences : calibrate(confidences, groups, best, state.doubtDivisor);
    const slots = explain ? toTermSlots(vector, names, document) : undefined;
    const contributions = slots === undefined ? undefined : getContributions(vector, slots);
    return cold.map((each, index) => ({
      ...each,
      score: round(scores[index]!),
      evidence:
        slots === undefined || contributions === undefined
          ? []
          : findEvidence(
              contributions[placeByRoute.get(each.routeId) ?? -1] ?? new Float64Array(slots.terms.length),
              slots,
              { ...each, score: coldScores[index]! },
            ),
    }));
  };
}

/** The distinct terms of a vector, as written in the document, and the place of the term of each of its entries. */
interface TermSlots {
  readonly slots: Int32Array;
  readonly terms: readonly string[];
  readonly slotByTerm: ReadonlyMap<string, number>;
}

function toTermSlots({ indexes }: SparseVector, names: readonly string[], { shown }: DocumentTerms): TermSlots {
  const terms: string[] = [];
  const slotByTerm = new Map<string, number>();
  const slots = Int32Array.from(indexes, (index) => {
    const term = getTerm(names[index]!);
    const written = shown.get(term) ?? term;
    const known = slotByTerm.get(written);
    if (known !== undefined) return known;
    slotByTerm.set(written, terms.length);
    return terms.push(written) - 1;
  });
  return { slots, terms, slotByTerm };
}

/** Returns the terms with the highest weights by amount, from those that speak most for a route to those that speak most against it. */
function selectStrongest(
  weights: Float64Array,
  terms: readonly string[],
  others: readonly { term: string; weight: number }[],
): { term: string; weight: number }[] {
  const byAmount = (left: { term: string; weight: number }, right: { term: string; weight: number }): number =>
    Math.abs(right.weight) - Math.abs(left.weight) || (left.term < right.term ? -1 : 1);
  const strongest = [...others].sort(byAmount);
  const getLeast = (): number =>
    strongest.length < MAX_EVIDENCE_TERMS ? Number.MIN_VALUE : Math.abs(strongest.at(-1)!.weight);
  let least = getLeast();
  for (let slot = 0; slot < weights.length; slot++) {
    const weight = weights[slot]!;
    if (Math.abs(weight) < least) continue;
    strongest.push({ term: terms[slot]!, weight });
    strongest.sort(byAmount);
    strongest.length = Math.min(strongest.length, MAX_EVIDENCE_TERMS);
    least = getLeast();
  }
  return strongest
    .map(({ term, weight }) => ({ term, weight: round(weight) }))
    .filter(({ weight }) => weight !== 0)
    .sort((left, right) => right.weight - left.weight || (left.term < right.term ? -1 : 1));
}
