import type { Concept } from "./concepts.ts";
import { countGroupsByTerm, numberTerms, type NumberedTerms } from "./numbered-terms.ts";
import {
  computeConceptStrengths,
  findForeignEvidence,
  LEXICON_SATURATION,
  computePlausibility,
} from "./plausibility.ts";
import { toRouteTerms, toTextVector, type RouteProfile, type RouteTerms } from "./route-profile.ts";
import { distinction, rarity, saturation } from "./term-weights.ts";
import { toDocumentTerms, type DocumentTerms } from "./text-terms.ts";
import { resolveReferences, scoreTitle, splitTitleSegments, toTitleName, type TitleName } from "./title.ts";

export type { RouteProfile } from "./route-profile.ts";

/** What is known about the scoring of a text. */
export interface ScoringOptions {
  /** The terms of the text, if they were read before. */
  readonly document?: DocumentTerms;
  /** Whether the scores have evidence, which takes longer; they do by default. */
  readonly explain?: boolean;
}

/** Scores the text of a document for every route of a classifier. */
export type RouteScorer = (text: string, options?: ScoringOptions) => RouteScore[];

/** How well a document fits a route. */
export interface RouteScore {
  readonly routeId: string;
  /** Between 0 and 1, rounded to four decimals. See {@link assembleScorer}. */
  readonly score: number;
  /** How likely the document is of the kind of the route, whatever the other routes are: between 0 and 1. */
  readonly strength: number;
  /** The number of distinct terms of the route that the document contains. */
  readonly matchedTerms: number;
  /** The terms with the most weight, as written in the document, at most 8. Empty if they were not asked for. */
  readonly evidence: readonly { readonly term: string; readonly weight: number }[];
}

const OWN_SATURATION = 1.2;
const LEXICON_WEIGHT = 1.5;
const TITLE_WEIGHT = 2;
const CONCEPT_TITLE_WEIGHT = 0.7;
const EXAMPLES_WEIGHT = 12;
const HALF_STRENGTH = 2.2;
/** A text with fewer words can contain less evidence, and needs less: at least half. */
const FULL_LENGTH = 300;
const FULL_MATCHED_TERMS = 3;
const MAX_EVIDENCE_TERMS = 8;

/** Two measures of evidence: how well it distinguishes the routes of this classifier, and its strength for the route alone. */
interface Evidence {
  readonly relative: number;
  readonly absolute: number;
}

/** How much steeper the confidence in the best route is than its score, around the default threshold. */
const STEEPNESS = 1.4;
const PIVOT = 0.45;

/** Calibrates the highest score: it stays on its side of {@link PIVOT}, and moves away from it. */
function calibrate(score: number): number {
  if (score <= 0 || score >= 1) return score;
  return 1 / (1 + ((1 - score) / score) ** STEEPNESS * (PIVOT / (1 - PIVOT)) ** (STEEPNESS - 1));
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** A document prepared for comparison with routes. It has a slot, from 1, for each of its terms that a route has. */
interface ComparedDocument {
  readonly terms: readonly string[];
  readonly frequencies: Float64Array;
  /** The weights of {@link toTextVector}. */
  readonly vector: Float64Array;
  /** The same weights, multiplied by how well the term distinguishes the examples of routes. */
  readonly distinctiveVector: Float64Array;
}

/**
 * Returns the function that scores documents for routes that {@link toRouteTerms} has read. Its results are in the order of `routes`.
 * It is deterministic and never throws.
 *
 * The evidence for a route is text + 1.5 · lexicon + 2 · title + 12 · examples, where
 * - text and lexicon are BM25 sums over the terms of the route and over the evidence terms of the concepts it mentions,
 *   each divided by the root of the total weight of the terms (document-engine reference 2.2);
 * - title is {@link scoreTitle} with the name of the route, or 0.7 times that with a name of its concepts;
 * - examples is the cosine of the document and the centroid of the examples of the route.
 * The *absolute* evidence a weights a term by its general rarity, the *relative* evidence r also by how well it distinguishes the
 * routes. Then
 *
 *     score = a² / (a² + h²) · √min(1, matched / 3) · plausibility · r / r(best route) · calibration
 *
 * where h is 2.2, or down to 1.1 for a short text. The first three factors express how likely the document is of the kind of the route.
 * They do not depend on other routes, so that a classifier with one route can reject documents too. From 0.5, the document clearly is of
 * the kind. The fourth factor compares the route with the best one, so that `1 - second / first` of two scores is the relative lead. The
 * last one is the same for all routes, and moves the highest score away from the default threshold, as measured.
 */
export function assembleScorer(routes: readonly RouteTerms[]): RouteScorer {
  const numbering = numberTerms(routes);
  const { numberByTerm } = numbering;
  const groups = new Set(routes.map(({ group }) => group)).size;
  const distinctions = Array.from({ length: groups + 1 }, (_, count) => distinction(count, groups));
  const ownHolders = countGroupsByTerm(numbering, ({ own }) => own);
  const lexicalHolders = countGroupsByTerm(numbering, ({ lexical }) => lexical);
  const exampleHolders = countGroupsByTerm(numbering, ({ centroid }) => centroid);
  const hasExamples = routes.some(({ centroid }) => centroid.terms.length > 0);
  const nameGroups = new Map<string, Set<string>>();
  for (const { group, nameWords } of routes) {
    for (const word of nameWords) nameGroups.set(word, (nameGroups.get(word) ?? new Set()).add(group));
  }
  const nameWords = new Set(nameGroups.keys());
  const getDamping = (word: string): number => 1 / (nameGroups.get(word)?.size ?? 1);
  const known = new Set<Concept>(routes.flatMap(({ mentioned }) => mentioned));
  const routeTitles = new Map(routes.map((route) => [route, toTitleName(route.nameWords, getDamping)]));
  const titlesByConcept = new Map([...known].map((each) => [each, each.names.map((name) => toTitleName(name))]));
  const conceptHolders = (concept: Concept): number =>
    routes.reduce((sum, { named, mentioned }) => {
      return sum + (named.includes(concept) ? 1 : mentioned.includes(concept) ? 0.4 : 0);
    }, 0);
  const conceptShares = new Map([...known].map((concept) => [concept, 1 / Math.max(1, conceptHolders(concept))]));
  // The slot of each term, by its number, in the document that is being scored. Reset to 0 after each document.
  const slotByTerm = new Uint32Array(numberByTerm.size);

  function prepare({ counts }: DocumentTerms): ComparedDocument {
    const all = toTextVector(counts);
    const terms = [""];
    const frequencies = new Float64Array(counts.size + 1);
    const vector = new Float64Array(counts.size + 1);
    const distinctiveVector = new Float64Array(counts.size + 1);
    all.terms.forEach((term, index) => {
      const number = numberByTerm.get(term);
      if (number === undefined) return;
      const slot = terms.push(term) - 1;
      slotByTerm[number] = slot;
      frequencies[slot] = counts.get(term)!;
      if (!hasExamples) return;
      vector[slot] = all.weights[index]!;
      distinctiveVector[slot] = all.weights[index]! * distinctions[exampleHolders[number] || 1]!;
    });
    return { terms, frequencies, vector, distinctiveVector };
  }

  function matchTerms(
    { numbers, weights, total }: NumberedTerms,
    document: DocumentTerms,
    { terms, frequencies }: ComparedDocument,
    holders: Uint32Array,
    k: number,
    hits: Map<number, number>,
  ): Evidence {
    let relative = 0;
    let absolute = 0;
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index]!;
      const slot = slotByTerm[number]!;
      if (slot === 0) continue;
      const value = saturation(frequencies[slot]!, document, k) * weights[index]! * rarity(terms[slot]!);
      absolute += value;
      relative += value * distinctions[holders[number]!]!;
      hits.set(slot, Math.max(hits.get(slot) ?? 0, value));
    }
    const scale = Math.sqrt(total) || 1;
    return { relative: relative / scale, absolute: absolute / scale };
  }

  /** Computes the similarity to a centroid, and counts the matching terms that are not among the hits. */
  function matchExamples(
    { numbers, weights }: NumberedTerms,
    { vector, distinctiveVector }: ComparedDocument,
    hits: ReadonlyMap<number, number>,
  ): Evidence & { readonly newMatches: number } {
    let relative = 0;
    let absolute = 0;
    let newMatches = 0;
    for (let index = 0; index < numbers.length; index++) {
      const slot = slotByTerm[numbers[index]!]!;
      if (slot === 0) continue;
      absolute += weights[index]! * vector[slot]!;
      relative += weights[index]! * distinctiveVector[slot]!;
      if (!hits.has(slot)) newMatches += 1;
    }
    return { relative, absolute, newMatches };
  }

  function score(text: string, document: DocumentTerms, explain: boolean): RouteScore[] {
    const segments = resolveReferences(splitTitleSegments(text), nameWords);
    const strengths = computeConceptStrengths(document);
    const foreign = findForeignEvidence(strengths, known);
    const compared = prepare(document);
    // Most names share no word with any title, and need no comparison.
    const titleWords = new Set(segments.flatMap(({ words }) => [...words]));
    const mayBeTitle = ({ words }: TitleName): boolean => words.some((word) => titleWords.has(word));
    const conceptTitles = new Map<Concept, number>();
    for (const [concept, names] of titlesByConcept)
      conceptTitles.set(concept, scoreTitle(segments, names.filter(mayBeTitle)));
    const measured = numbering.routes.map(({ route, own, lexical, centroid }) => {
      const hits = new Map<number, number>();
      const ownMatch = matchTerms(own, document, compared, ownHolders, OWN_SATURATION, hits);
      const lexicalMatch = matchTerms(lexical, document, compared, lexicalHolders, LEXICON_SATURATION, hits);
      const title = Math.max(
        scoreTitle(segments, [routeTitles.get(route)!].filter(mayBeTitle)),
        ...route.named.map(
          (concept) => CONCEPT_TITLE_WEIGHT * (conceptShares.get(concept) ?? 1) * (conceptTitles.get(concept) ?? 0),
        ),
      );
      const exampleMatch = matchExamples(centroid, compared, hits);
      return {
        route,
        hits,
        plausibility: computePlausibility(route, document, strengths, foreign, {
          ownText: ownMatch.absolute,
          title: Math.min(1, title + 2 * exampleMatch.absolute),
        }),
        relative:
          ownMatch.relative +
          LEXICON_WEIGHT * lexicalMatch.relative +
          TITLE_WEIGHT * title +
          EXAMPLES_WEIGHT * exampleMatch.relative,
        absolute:
          ownMatch.absolute +
          LEXICON_WEIGHT * lexicalMatch.absolute +
          TITLE_WEIGHT * title +
          EXAMPLES_WEIGHT * exampleMatch.absolute,
        matched: hits.size + exampleMatch.newMatches,
      };
    });
    const half = HALF_STRENGTH * (0.5 + 0.5 * Math.min(1, document.length / FULL_LENGTH));
    const best = Math.max(0, ...measured.map(({ relative }) => relative));
    const scored = measured.map(({ route, hits, plausibility, relative, absolute, matched }) => {
      const enough = Math.sqrt(Math.min(1, matched / FULL_MATCHED_TERMS));
      const strength = (absolute ** 2 / (absolute ** 2 + half ** 2)) * enough * plausibility;
      return {
        routeId: route.id,
        score: best > 0 ? (strength * relative) / best : 0,
        strength: round(strength),
        matchedTerms: matched,
        evidence: (explain ? [...hits] : [])
          .map(([slot, weight]) => ({ term: compared.terms[slot] ?? "", weight }))
          .sort((left, right) => right.weight - left.weight || (left.term < right.term ? -1 : 1))
          .slice(0, MAX_EVIDENCE_TERMS)
          .map(({ term, weight }) => ({ term: document.shown.get(term) ?? term, weight: round(weight) })),
      };
    });
    const highest = Math.max(0, ...scored.map((each) => each.score));
    const factor = highest > 0 ? calibrate(highest) / highest : 1;
    return scored.map((each) => ({ ...each, score: round(each.score * factor) }));
  }

  return (text, { document = toDocumentTerms(text), explain = true } = {}) => {
    try {
      return score(text, document, explain);
    } finally {
      for (const term of document.counts.keys()) {
        const number = numberByTerm.get(term);
        if (number !== undefined) slotByTerm[number] = 0;
      }
    }
  };
}

/** Reads routes and returns the function that scores documents for them. See {@link assembleScorer}. */
export function createRouteScorer(routes: readonly RouteProfile[]): RouteScorer {
  return assembleScorer(routes.map(toRouteTerms));
}
