import type { Concept } from "./concepts.ts";
import { conceptStrengths, LEXICON_SATURATION, plausibility } from "./plausibility.ts";
import { routeTerms, textVector, type RouteProfile, type RouteTerms } from "./route-profile.ts";
import { distinction, rarity, saturation } from "./term-weights.ts";
import { documentTerms, type DocumentTerms } from "./text-terms.ts";
import { titleMatch, titleSegments } from "./title.ts";

export type { RouteProfile } from "./route-profile.ts";

/** How well a document fits a route. */
export interface RouteScore {
  readonly routeId: string;
  /** 0 to 1, four decimals; see {@link createRouteScorer}. */
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

/** How many groups of routes have each term. */
function holders(routes: readonly RouteTerms[], termsIn: (route: RouteTerms) => Iterable<string>): Map<string, number> {
  const groups = new Map<string, Set<string>>();
  for (const route of routes) {
    for (const term of termsIn(route)) groups.set(term, (groups.get(term) ?? new Set()).add(route.group));
  }
  return new Map([...groups].map(([term, members]) => [term, members.size]));
}

function similarity(left: ReadonlyMap<string, number>, right: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [term, weight] of left) sum += weight * (right.get(term) ?? 0);
  return sum;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/**
 * Reads the routes once and returns the function that scores documents against them; it answers in the order of
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
export function createRouteScorer(routes: readonly RouteProfile[]): (text: string) => RouteScore[] {
  const read = routes.map(routeTerms);
  const groups = new Set(read.map(({ group }) => group)).size;
  const ownHolders = holders(read, (route) => route.own.keys());
  const lexicalHolders = holders(read, (route) => route.lexical.keys());
  const exampleHolders = holders(read, (route) => route.centroid.keys());
  const taught = exampleHolders.size > 0;
  const nameHolders = holders(read, (route) => route.nameWords);
  const known = new Set<Concept>(read.flatMap(({ mentioned }) => mentioned));
  const conceptHolders = (concept: Concept): number =>
    read.reduce((sum, { named, mentioned }) => {
      return sum + (named.includes(concept) ? 1 : mentioned.includes(concept) ? 0.4 : 0);
    }, 0);
  const conceptShares = new Map([...known].map((concept) => [concept, 1 / Math.max(1, conceptHolders(concept))]));

  function matchTerms(
    terms: ReadonlyMap<string, number>,
    document: DocumentTerms,
    counted: ReadonlyMap<string, number>,
    k: number,
    hits: Map<string, number>,
  ): Evidence {
    let relative = 0;
    let absolute = 0;
    let total = 0;
    for (const [term, weight] of terms) {
      total += weight;
      const frequency = document.counts.get(term);
      if (frequency === undefined) continue;
      const value = saturation(frequency, document, k) * weight * rarity(term);
      absolute += value;
      relative += value * distinction(counted.get(term) ?? 1, groups);
      hits.set(term, Math.max(hits.get(term) ?? 0, value));
    }
    const scale = Math.sqrt(total) || 1;
    return { relative: relative / scale, absolute: absolute / scale };
  }

  return (text) => {
    const document = documentTerms(text);
    const segments = titleSegments(text);
    const strengths = conceptStrengths(document);
    const vector = taught ? textVector(document.counts) : new Map<string, number>();
    const telling = new Map(
      [...vector].map(([term, weight]) => [term, weight * distinction(exampleHolders.get(term) ?? 1, groups)]),
    );
    const weighed = read.map((route) => {
      const hits = new Map<string, number>();
      const own = matchTerms(route.own, document, ownHolders, OWN_SATURATION, hits);
      const lexical = matchTerms(route.lexical, document, lexicalHolders, LEXICON_SATURATION, hits);
      const damped = (word: string): number => 1 / (nameHolders.get(word) ?? 1);
      const title = Math.max(
        titleMatch(segments, [route.nameWords], damped),
        ...route.named.map(
          (concept) => CONCEPT_TITLE_WEIGHT * (conceptShares.get(concept) ?? 1) * titleMatch(segments, concept.names),
        ),
      );
      const alike = similarity(route.centroid, vector);
      return {
        route,
        hits,
        plausible: plausibility(route, document, strengths, known, {
          ownText: own.absolute,
          title: Math.min(1, title + 2 * alike),
        }),
        relative:
          own.relative +
          LEXICON_WEIGHT * lexical.relative +
          TITLE_WEIGHT * title +
          EXAMPLES_WEIGHT * similarity(route.centroid, telling),
        absolute: own.absolute + LEXICON_WEIGHT * lexical.absolute + TITLE_WEIGHT * title + EXAMPLES_WEIGHT * alike,
        matched: hits.size + [...route.centroid.keys()].filter((term) => !hits.has(term) && vector.has(term)).length,
      };
    });
    const half = HALF_STRENGTH * (0.5 + 0.5 * Math.min(1, document.length / FULL_LENGTH));
    const best = Math.max(0, ...weighed.map(({ relative }) => relative));
    return weighed.map(({ route, hits, plausible, relative, absolute, matched }) => {
      const strength = absolute ** 2 / (absolute ** 2 + half ** 2);
      const enough = Math.sqrt(Math.min(1, matched / FULL_MATCHED_TERMS));
      return {
        routeId: route.profile.id,
        score: round(best > 0 ? (strength * enough * plausible * relative) / best : 0),
        matchedTerms: matched,
        evidence: [...hits]
          .sort(([left, leftWeight], [right, rightWeight]) => rightWeight - leftWeight || (left < right ? -1 : 1))
          .slice(0, SHOWN_TERMS)
          .map(([term, weight]) => ({ term: document.shown.get(term) ?? term, weight: round(weight) })),
      };
    });
  };
}

/** Scores a document against routes: `createRouteScorer(routes)(text)`. */
export function scoreRoutes(text: string, routes: readonly RouteProfile[]): RouteScore[] {
  return createRouteScorer(routes)(text);
}
