import type { RouteTerms, WeightedTerms } from "./route-profile.ts";

/** The numbers of terms, their weights, and the sum of the weights. */
export interface NumberedTerms {
  readonly numbers: Uint32Array;
  readonly weights: Float64Array;
  readonly total: number;
}

/** A route with numbered terms. Comparing numbers is much faster than looking up strings. */
export interface NumberedRoute {
  readonly route: RouteTerms;
  readonly own: NumberedTerms;
  readonly lexical: NumberedTerms;
  readonly centroid: NumberedTerms;
}

/** The routes of a classifier with a common numbering of their terms. */
export interface Numbering {
  readonly routes: readonly NumberedRoute[];
  /** The number of each term, from 0 without gaps. */
  readonly numberByTerm: ReadonlyMap<string, number>;
}

/** Numbers the terms of routes in order of first use. */
export function numberTerms(routes: readonly RouteTerms[]): Numbering {
  const numberByTerm = new Map<string, number>();
  const numberAll = ({ terms, weights }: WeightedTerms): NumberedTerms => {
    const numbers = new Uint32Array(terms.length);
    terms.forEach((term, index) => {
      const known = numberByTerm.get(term);
      numbers[index] = known ?? numberByTerm.size;
      if (known === undefined) numberByTerm.set(term, numberByTerm.size);
    });
    return { numbers, weights, total: weights.reduce((sum, weight) => sum + weight, 0) };
  };
  return {
    routes: routes.map((route) => ({
      route,
      own: numberAll(route.own),
      lexical: numberAll(route.lexical),
      centroid: numberAll(route.centroid),
    })),
    numberByTerm,
  };
}

/** Counts the groups of routes that have each term, by the number of the term. */
export function countGroupsByTerm(
  { routes, numberByTerm }: Numbering,
  getTerms: (route: NumberedRoute) => NumberedTerms,
): Uint32Array {
  const holders = new Uint32Array(numberByTerm.size);
  const countedFor = new Uint32Array(numberByTerm.size);
  const groups = Map.groupBy(routes, ({ route }) => route.group);
  for (const [index, members] of [...groups.values()].entries()) {
    for (const member of members) {
      for (const number of getTerms(member).numbers) {
        if (countedFor[number] === index + 1) continue;
        countedFor[number] = index + 1;
        holders[number]! += 1;
      }
    }
  }
  return holders;
}
