import type { Concept } from "./concepts.ts";
import { groupHolders, numberTerms, type NumberedTerms } from "./numbered-terms.ts";
import { conceptStrengths, foreignEvidence, LEXICON_SATURATION, plausibility } from "./plausibility.ts";
import { routeTerms, textVector, type RouteProfile, type RouteTerms } from "./route-profile.ts";
import { distinction, rarity, saturation } from "./term-weights.ts";
import { documentTerms, type DocumentTerms } from "./text-terms.ts";
import { titleMatch, titleSegments } from "./title.ts";

export type { RouteProfile } from "./route-profile.ts";

/** Scores a document for every route of a classifier. */
export type RouteScorer = (text: string) => RouteScore[];

/** How well a document fits a route. */
export interface RouteScore {
  readonly routeId: string;
  /** 0 to 1, four decimals; see {@link assembleScorer}. */
  readonly score: number;
  /** How many distinct terms of the route stand in the document. */
  readonly matchedTerms: number;
  /** The terms that weigh most, as they stand in the document, at most 8. */
  readonly evidence: readonly { readonly term: string; readonly weight: number }[];
}

const OWN_SATURATION = 1.2;
const LEXICON_WEIGHT = 1.5;
const TITLE_WEIGHT = 2;
const CONCEPT_TITLE_WEIGHT = 0.7;
const EXAMPLES_WEIGHT = 12;
const HALF_STRENGTH = 2.2;
/** A text shorter than this many counted words can hold less evidence, and needs less: at the least, half. */
const FULL_LENGTH = 300;
const FULL_MATCHED_TERMS = 3;
const SHOWN_TERMS = 8;

/** Evidence in two measures: as it tells this classifier's routes apart, and as it speaks for the route alone. */
interface Evidence {
  readonly relative: number;
  readonly absolute: number;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** A document as it is compared with routes: its terms that any route has, from 1 on; `slotByTerm` is 0 for all other terms. */
interface ComparedDocument {
  readonly terms: readonly string[];
  readonly frequencies: Float64Array;
  /** Of {@link textVector}. */
  readonly vector: Float64Array;
  /** The same, each weighed by how well the term tells the examples of routes apart. */
  readonly telling: Float64Array;
}

/**
 * Returns the function that scores documents against routes that {@link routeTerms} has read; it answers in the order of
 * `routes`, is deterministic and never throws, whatever the text.
 *
 * Evidence of a route = text + 1.5 · lexicon + 2 · title + 12 · examples, where
 * - text and lexicon are BM25 sums over the terms of the route and over the evidence terms of the concepts it names,
 *   each divided by the root of the terms' total weight (document-engine reference 2.2);
 * - title is {@link titleMatch} with the route's name, or 0.7 times that with a name of its concepts;
 * - examples is the cosine of the document and the centroid of the route's examples.
 * The *absolute* evidence a weighs a term by its rarity at large; the *relative* evidence r also by how well it tells the
 * routes apart. Then
 *
 *     score = a² / (a² + h²) · √min(1, matched / 3) · plausibility · r / r(best route)
 *
 * where h is 2.2, and down to 1.1 for a short text. The first three factors say how surely the document is of the route's kind, whatever other routes there are, so that a
 * classifier with one route can refuse too; 0.5 and more means that it clearly is. The last one says how close the route
 * comes to the best one: `1 - second / first` of two scores is the relative lead.
 */
export function assembleScorer(routes: readonly RouteTerms[]): RouteScorer {
  const numbering = numberTerms(routes);
  const { numberByTerm } = numbering;
  const groups = new Set(routes.map(({ group }) => group)).size;
  const distinctions = Array.from({ length: groups + 1 }, (_, count) => distinction(count, groups));
  const ownHolders = groupHolders(numbering, ({ own }) => own);
  const lexicalHolders = groupHolders(numbering, ({ lexical }) => lexical);
  const exampleHolders = groupHolders(numbering, ({ centroid }) => centroid);
  const taught = routes.some(({ centroid }) => centroid.terms.length > 0);
  const nameGroups = new Map<string, Set<string>>();
  for (const { group, nameWords } of routes) {
    for (const word of nameWords) nameGroups.set(word, (nameGroups.get(word) ?? new Set()).add(group));
  }
  const damped = (word: string): number => 1 / (nameGroups.get(word)?.size ?? 1);
  const known = new Set<Concept>(routes.flatMap(({ mentioned }) => mentioned));
  const conceptHolders = (concept: Concept): number =>
    routes.reduce((sum, { named, mentioned }) => {
      return sum + (named.includes(concept) ? 1 : mentioned.includes(concept) ? 0.4 : 0);
    }, 0);
  const conceptShares = new Map([...known].map((concept) => [concept, 1 / Math.max(1, conceptHolders(concept))]));
  // Which term of the document that is being scored a number stands for. All 0 again after each document.
  const slotByTerm = new Uint32Array(numberByTerm.size);

  function compared({ counts }: DocumentTerms): ComparedDocument {
    const all = textVector(counts);
    const terms = [""];
    const frequencies = new Float64Array(counts.size + 1);
    const vector = new Float64Array(counts.size + 1);
    const telling = new Float64Array(counts.size + 1);
    all.terms.forEach((term, index) => {
      const number = numberByTerm.get(term);
      if (number === undefined) return;
      const slot = terms.push(term) - 1;
      slotByTerm[number] = slot;
      frequencies[slot] = counts.get(term)!;
      if (!taught) return;
      vector[slot] = all.weights[index]!;
      telling[slot] = all.weights[index]! * distinctions[exampleHolders[number] || 1]!;
    });
    return { terms, frequencies, vector, telling };
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

  /** The likeness to a centroid, and how many terms of the document are in it that are not among the hits. */
  function matchExamples(
    { numbers, weights }: NumberedTerms,
    { vector, telling }: ComparedDocument,
    hits: ReadonlyMap<number, number>,
  ): Evidence & { readonly further: number } {
    let relative = 0;
    let absolute = 0;
    let further = 0;
    for (let index = 0; index < numbers.length; index++) {
      const slot = slotByTerm[numbers[index]!]!;
      if (slot === 0) continue;
      absolute += weights[index]! * vector[slot]!;
      relative += weights[index]! * telling[slot]!;
      if (!hits.has(slot)) further += 1;
    }
    return { relative, absolute, further };
  }

  function score(text: string, document: DocumentTerms): RouteScore[] {
    const segments = titleSegments(text);
    const strengths = conceptStrengths(document);
    const foreign = foreignEvidence(strengths, known);
    const there = compared(document);
    const conceptTitles = new Map<Concept, number>();
    for (const concept of known) conceptTitles.set(concept, titleMatch(segments, concept.names));
    const weighed = numbering.routes.map(({ route, own, lexical, centroid }) => {
      const hits = new Map<number, number>();
      const ownMatch = matchTerms(own, document, there, ownHolders, OWN_SATURATION, hits);
      const lexicalMatch = matchTerms(lexical, document, there, lexicalHolders, LEXICON_SATURATION, hits);
      const title = Math.max(
        titleMatch(segments, [route.nameWords], damped),
        ...route.named.map(
          (concept) => CONCEPT_TITLE_WEIGHT * (conceptShares.get(concept) ?? 1) * (conceptTitles.get(concept) ?? 0),
        ),
      );
      const alike = matchExamples(centroid, there, hits);
      return {
        route,
        hits,
        plausible: plausibility(route, document, strengths, foreign, {
          ownText: ownMatch.absolute,
          title: Math.min(1, title + 2 * alike.absolute),
        }),
        relative:
          ownMatch.relative +
          LEXICON_WEIGHT * lexicalMatch.relative +
          TITLE_WEIGHT * title +
          EXAMPLES_WEIGHT * alike.relative,
        absolute:
          ownMatch.absolute +
          LEXICON_WEIGHT * lexicalMatch.absolute +
          TITLE_WEIGHT * title +
          EXAMPLES_WEIGHT * alike.absolute,
        matched: hits.size + alike.further,
      };
    });
    const half = HALF_STRENGTH * (0.5 + 0.5 * Math.min(1, document.length / FULL_LENGTH));
    const best = Math.max(0, ...weighed.map(({ relative }) => relative));
    return weighed.map(({ route, hits, plausible, relative, absolute, matched }) => {
      const strength = absolute ** 2 / (absolute ** 2 + half ** 2);
      const enough = Math.sqrt(Math.min(1, matched / FULL_MATCHED_TERMS));
      return {
        routeId: route.id,
        score: round(best > 0 ? (strength * enough * plausible * relative) / best : 0),
        matchedTerms: matched,
        evidence: [...hits]
          .map(([slot, weight]) => ({ term: there.terms[slot] ?? "", weight }))
          .sort((left, right) => right.weight - left.weight || (left.term < right.term ? -1 : 1))
          .slice(0, SHOWN_TERMS)
          .map(({ term, weight }) => ({ term: document.shown.get(term) ?? term, weight: round(weight) })),
      };
    });
  }

  return (text) => {
    const document = documentTerms(text);
    try {
      return score(text, document);
    } finally {
      for (const term of document.counts.keys()) {
        const number = numberByTerm.get(term);
        if (number !== undefined) slotByTerm[number] = 0;
      }
    }
  };
}

/** Reads routes and returns the function that scores documents against them; see {@link assembleScorer}. */
export function createRouteScorer(routes: readonly RouteProfile[]): RouteScorer {
  return assembleScorer(routes.map(routeTerms));
}

/** Scores a document against routes: `createRouteScorer(routes)(text)`. */
export function scoreRoutes(text: string, routes: readonly RouteProfile[]): RouteScore[] {
  return createRouteScorer(routes)(text);
}
