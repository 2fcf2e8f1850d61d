import { routeTerms } from "../domain/scoring/route-profile.ts";
import type { RouteProfile, RouteTerms } from "../domain/scoring/route-profile.ts";
import { assembleScorer } from "../domain/scoring/scorer.ts";
import type { RouteScore, RouteScorer } from "../domain/scoring/scorer.ts";

/** A route under the key that names its content. */
export interface KeyedProfile {
  readonly key: string;
  readonly profile: RouteProfile;
}

/**
 * Scorers of classifiers, made of routes that are read one by one and shared: after a change of one route only that one is read
 * again. Routes and scorers go by keys that name their content, so that nothing kept can be out of date.
 */
export interface RouteScorers {
  /** Those of the routes that are not kept. */
  lacking(routes: readonly string[]): string[];
  /** Reads routes, and keeps what was read. */
  read(routes: readonly KeyedProfile[]): void;
  /** Makes the scorer of these routes, in this order, unless it is kept. False when one of the routes is not kept. */
  assemble(scorer: string, routes: readonly string[]): boolean;
  /** The scores of a text; undefined when the scorer is not kept. */
  score(scorer: string, text: string): RouteScore[] | undefined;
}

interface KeptRoute {
  readonly terms: RouteTerms;
  readonly bytes: number;
  /** How many of the kept scorers have it. */
  scorers: number;
}

interface KeptScorer {
  readonly score: RouteScorer;
  readonly routes: ReadonlyMap<string, KeptRoute>;
  readonly bytes: number;
}

/**
 * Creates scorers that take about `maxBytes` of memory together: beyond it, the scorer that was used the longest time ago goes, with
 * the routes that no other has, and then routes without a scorer. What is being made stays, whatever its size.
 */
export function createRouteScorers(maxBytes: number): RouteScorers {
  const routes = new Map<string, KeptRoute>();
  /** The least recently used first. */
  const scorers = new Map<string, KeptScorer>();
  let bytes = 0;

  function remove(key: string, route: KeptRoute): void {
    routes.delete(key);
    bytes -= route.bytes;
  }

  function removeOldest(): void {
    const [oldest] = scorers;
    if (oldest === undefined) return;
    const [key, scorer] = oldest;
    scorers.delete(key);
    bytes -= scorer.bytes;
    for (const [routeKey, route] of scorer.routes) {
      route.scorers -= 1;
      if (route.scorers === 0) remove(routeKey, route);
    }
  }

  function limit(): void {
    while (bytes > maxBytes && scorers.size > 1) removeOldest();
    for (const [key, route] of routes) {
      if (bytes <= maxBytes) break;
      if (route.scorers === 0) remove(key, route);
    }
  }

  return {
    lacking: (keys) => keys.filter((key) => !routes.has(key)),

    read(profiles) {
      for (const { key, profile } of profiles) {
        if (routes.has(key)) continue;
        const terms = routeTerms(profile);
        const route = { terms, bytes: getRouteBytes(terms), scorers: 0 };
        routes.set(key, route);
        bytes += route.bytes;
      }
    },

    assemble(key, routeKeys) {
      if (scorers.has(key)) return true;
      const members = new Map<string, KeptRoute>();
      for (const routeKey of routeKeys) {
        const route = routes.get(routeKey);
        if (route === undefined) return false;
        members.set(routeKey, route);
      }
      const read = [...members.values()].map(({ terms }) => terms);
      const scorer: KeptScorer = { score: assembleScorer(read), routes: members, bytes: getScorerBytes(read) };
      for (const route of members.values()) route.scorers += 1;
      scorers.set(key, scorer);
      bytes += scorer.bytes;
      limit();
      return true;
    },

    score(key, text) {
      const scorer = scorers.get(key);
      if (scorer === undefined) return undefined;
      scorers.delete(key);
      scorers.set(key, scorer);
      return scorer.score(text);
    },
  };
}

/** Measured: a term takes about this with its text, its weight and its place. */
const bytesOfTerm = 60;
/** Measured: numbering a term of a route takes about this. */
const bytesOfNumber = 50;
const bytesOfEmptyRoute = 2_000;

function termCount({ own, lexical, centroid }: RouteTerms): number {
  return own.terms.length + lexical.terms.length + centroid.terms.length;
}

function getRouteBytes(terms: RouteTerms): number {
  return bytesOfEmptyRoute + termCount(terms) * bytesOfTerm;
}

function getScorerBytes(routes: readonly RouteTerms[]): number {
  return routes.reduce((sum, route) => sum + termCount(route) * bytesOfNumber, 0);
}
