import { concepts } from "../domain/scoring/concepts.ts";
import type { RouteProfile } from "../domain/scoring/route-profile.ts";

/** A random classifier, and texts to score with it. */
export interface RandomClassifier {
  readonly routes: RouteProfile[];
  readonly texts: string[];
}

/** Creates a random classifier for tests. The same seed always results in the same classifier, on every machine. */
export function createRandomClassifier(seed: number): RandomClassifier {
  let state = seed + 1;
  // The random number generator of Park and Miller.
  const below = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
  const pick = <T>(items: readonly T[]): T => items[below(items.length)]!;
  const kinds = Array.from({ length: 4 }, () => pick(concepts));
  const word = (): string => {
    if (below(5) === 0) return [...pick(kinds).evidence].at(below(5)) ?? "";
    if (below(9) === 0) return String(below(3_000));
    return Array.from({ length: 1 + below(3) }, () => pick(["ta", "ri", "mo", "ße", "nés", "ung", "ing"])).join("");
  };
  const text = (words: number): string =>
    Array.from({ length: words }, () => word() + pick([" ", " ", " ", "\n", "\t", ". ", ": "])).join("");
  const name = (): string => pick([() => pick(pick(kinds).names).join(" "), () => text(1 + below(3)), () => ""])();
  const routes = Array.from({ length: 1 + below(12) }, (_, index) => ({
    id: `route-${String(index)}`,
    name: name(),
    description: below(3) === 0 ? "" : `${name()} ${text(below(30))}`,
    columnLabels: Array.from({ length: below(6) }, () => pick([text(2), "From", "Total"])),
    examples: below(2) === 0 ? [] : Array.from({ length: below(25) }, () => text(below(120))),
    group: below(3) === 0 ? `model-${String(below(3))}` : undefined,
  }));
  const named = pick(routes);
  const texts = [
    text(300),
    `${named.name}\n${named.description}\n${text(40)}`,
    `${pick(named.examples.length > 0 ? named.examples : [""])}${text(10)}`,
    pick(["", "  \n", "1 2 3", text(3_000)]),
  ];
  return { routes, texts };
}
