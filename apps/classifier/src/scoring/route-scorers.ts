import type { LearnedState } from "../domain/learning/learned-state.ts";
import { toRouteTerms } from "../domain/scoring/route-profile.ts";
import type { RouteProfile, RouteTerms } from "../domain/scoring/route-profile.ts";
import { assembleScorer } from "../domain/scoring/scorer.ts";
import type { RouteScore, RouteScorer } from "../domain/scoring/scorer.ts";
import { createLearnedStates } from "./learned-states.ts";

/** A route with a key that identifies its content. */
export interface KeyedProfile {
  readonly key: string;
  readonly profile: RouteProfile;
}

/**
 * A cache of scorers and of the routes that they consist of. Scorers share routes, so that after a change of one route only that one is
 * read again. The keys of routes and scorers identify their content, so that no entry can be out of date.
 */
export interface RouteScorers {
  /** Returns the keys of those routes that are not in the cache. */
  findMissing(routes: readonly string[]): string[];
  /** Reads routes and adds them to the cache. */
  read(routes: readonly KeyedProfile[]): void;
  /** Assembles the scorer of these routes, in this order, unless it is in the cache. Returns false if one of the routes is not. */
  assemble(scorer: string, routes: readonly string[]): boolean;
  /** Scores a text, with evidence if `explain` is true. Returns undefined if the scorer is not in the cache. */
  score(scorer: string, text: string, explain: boolean): RouteScore[] | undefined;
  /** Adds what was learned for some routes. */
  addLearned(learned: string, state: LearnedState): void;
  removeLearned(learned: string): void;
  /** Scores a text with what was learned. Returns undefined if the scorer or what was learned is not in the cache. */
  scoreLearned(scorer: string, learned: string, text: string, explain: boolean): RouteScore[] | undefined;
}

const noTerms: RouteTerms["centroid"] = { terms: [], weights: new Float64Array() };

interface CachedRoute {
  readonly terms: RouteTerms;
  readonly bytes: number;
  /** The number of cached scorers that use it. */
  scorers: number;
}

interface CachedScorer {
  readonly score: RouteScorer;
  /** The scorer that knows no examples, because these are among what was learned. It is assembled on first use. */
  withoutExamples?: RouteScorer;
  readonly routes: ReadonlyMap<string, CachedRoute>;
  readonly bytes: number;
}

/**
 * Creates a cache of about `maxBytes`. Beyond it, the least recently used scorer is evicted with the routes that no other scorer uses,
 * and then routes without a scorer. The latest scorer stays, whatever its size.
 */
export function createRouteScorers(maxBytes: number): RouteScorers {
  const routes = new Map<string, CachedRoute>();
  /** In order of use, the least recently used first. */
  const scorers = new Map<string, CachedScorer>();
  const learnedStates = createLearnedStates(maxBytes);
  let bytes = 0;

  function use(key: string): CachedScorer | undefined {
    const scorer = scorers.get(key);
    if (scorer === undefined) return undefined;
    scorers.delete(key);
    scorers.set(key, scorer);
    return scorer;
  }

  function remove(key: string, route: CachedRoute): void {
    routes.delete(key);
    bytes -= route.bytes;
  }

  function evictLeastRecentlyUsed(): void {
    const [first] = scorers;
    if (first === undefined) return;
    const [key, scorer] = first;
    scorers.delete(key);
    bytes -= scorer.bytes;
    for (const [routeKey, route] of scorer.routes) {
      route.scorers -= 1;
      if (route.scorers === 0) remove(routeKey, route);
    }
  }

  function evict(): void {
    while (bytes > maxBytes && scorers.size > 1) evictLeastRecentlyUsed();
    for (const [key, route] of routes) {
      if (bytes <= maxBytes) break;
      if (route.scorers === 0) remove(key, route);
    }
  }

  return {
    findMissing: (keys) => keys.filter((key) => !routes.has(key)),

    read(profiles) {
      for (const { key, profile } of profiles) {
        if (routes.has(key)) continue;
        const terms = toRouteTerms(profile);
        const route = { terms, bytes: estimateRouteBytes(terms), scorers: 0 };
        routes.set(key, route);
        bytes += route.bytes;
      }
    },

    assemble(key, routeKeys) {
      if (scorers.has(key)) return true;
      const members = new Map<string, CachedRoute>();
      for (const routeKey of routeKeys) {
        const route = routes.get(routeKey);
        if (route === undefined) return false;
        members.set(routeKey, route);
      }
      const read = [...members.values()].map(({ terms }) => terms);
      const scorer: CachedScorer = { score: assembleScorer(read), routes: members, bytes: estimateScorerBytes(read) };
      for (const route of members.values()) route.scorers += 1;
      scorers.set(key, scorer);
      bytes += scorer.bytes;
      evict();
      return true;
    },

    score: (key, text, explain) => use(key)?.score(text, { explain }),
    addLearned: (key, state) => learnedStates.add(key, state),
    removeLearned: (key) => learnedStates.remove(key),

    scoreLearned(key, learned, text, explain) {
      const scorer = use(key);
      const score = learnedStates.get(learned);
      if (scorer === undefined || score === undefined) return undefined;
      const terms = [...scorer.routes.values()].map((route) => route.terms);
      scorer.withoutExamples ??= assembleScorer(terms.map((each) => ({ ...each, centroid: noTerms })));
      return score(terms, scorer.withoutExamples, text, { explain });
    },
  };
}

/** The approximate memory of a term with its text, weight and position, as measured. */
const bytesPerTerm = 60;
/** The approximate memory of the number of a term in a route, as measured. */
const bytesPerNumber = 50;
const bytesPerRoute = 2_000;

function countTerms({ own, lexical, centroid }: RouteTerms): number {
  return own.terms.length + lexical.terms.length + centroid.terms.length;
}

function estimateRouteBytes(terms: RouteTerms): number {
  return bytesPerRoute + countTerms(terms) * bytesPerTerm;
}

function estimateScorerBytes(routes: readonly RouteTerms[]): number {
  return 2 * routes.reduce((sum, route) => sum + countTerms(route) * bytesPerNumber, 0);
}
