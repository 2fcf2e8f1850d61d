import type { RouteTerms, WeighedTerms } from "./route-profile.ts";

/** Terms by number, each with its weight, and the sum of the weights. */
export interface NumberedTerms {
  readonly numbers: Uint32Array;
  readonly weights: Float64Array;
  readonly total: number;
}

/** A route whose terms are numbered: comparing numbers is much cheaper than looking up texts. */
export interface NumberedRoute {
  readonly route: RouteTerms;
  readonly own: NumberedTerms;
  readonly lexical: NumberedTerms;
  readonly centroid: NumberedTerms;
}

/** The routes of a classifier with one numbering of all their terms. */
export interface Numbering {
  readonly routes: readonly NumberedRoute[];
  /** From 0, without gaps. */
  readonly numberByTerm: ReadonlyMap<string, number>;
}

/** Numbers the terms of routes in the order in which they come. */
export function numberTerms(routes: readonly RouteTerms[]): Numbering {
  const numberByTerm = new Map<string, number>();
  const numbered = ({ terms, weights }: WeighedTerms): NumberedTerms => {
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
      own: numbered(route.own),
      lexical: numbered(route.lexical),
      centroid: numbered(route.centroid),
    })),
    numberByTerm,
  };
}

/** How many groups of routes have each term, by its number. */
export function groupHolders(
  { routes, numberByTerm }: Numbering,
  termsIn: (route: NumberedRoute) => NumberedTerms,
): Uint32Array {
  const holders = new Uint32Array(numberByTerm.size);
  const countedFor = new Uint32Array(numberByTerm.size);
  const groups = Map.groupBy(routes, ({ route }) => route.group);
  for (const [index, members] of [...groups.values()].entries()) {
    for (const member of members) {
      for (const number of termsIn(member).numbers) {
        if (countedFor[number] === index + 1) continue;
        countedFor[number] = index + 1;
        holders[number]! += 1;
      }
    }
  }
  return holders;
}
