import { createRandomClassifier } from "../testing/random-classifiers.ts";
import { createRouteScorer } from "../domain/scoring/scorer.ts";
import type { RouteProfile } from "../domain/scoring/scorer.ts";
import { createRouteScorers } from "./route-scorers.ts";
import type { RouteScorers } from "./route-scorers.ts";

const maxBytes = 1_000_000_000;

const getKey = (profile: RouteProfile): string => JSON.stringify(profile);

/** Assembles a scorer, and returns how many routes had to be read for it. */
function assemble(scorers: RouteScorers, name: string, profiles: readonly RouteProfile[]): number {
  const keys = profiles.map(getKey);
  const missing = scorers.findMissing(keys);
  scorers.read(
    profiles.filter((profile) => missing.includes(getKey(profile))).map((p) => ({ key: getKey(p), profile: p })),
  );
  expect(scorers.assemble(name, keys)).toBe(true);
  return missing.length;
}

describe("the cache of scorers", () => {
  it("returns the same scores as a new scorer, even if most routes were read for other scorers", () => {
    const scorers = createRouteScorers(maxBytes);
    for (let seed = 0; seed < 20; seed++) {
      const { routes, texts } = createRandomClassifier(seed);
      assemble(scorers, "before", routes);
      const changed = routes.map((route, index) => (index === 0 ? { ...route, name: `Invoice ${seed}` } : route));
      expect(assemble(scorers, `after ${seed}`, changed)).toBe(1);
      const fresh = createRouteScorer(changed);
      for (const text of texts) expect(scorers.score(`after ${seed}`, text, true)).toEqual(fresh(text));
    }
  });

  it("does not contain routes and scorers that were not added", () => {
    const scorers = createRouteScorers(maxBytes);
    expect(scorers.findMissing(["a"])).toEqual(["a"]);
    expect(scorers.assemble("of a", ["a"])).toBe(false);
    expect(scorers.score("of a", "text", false)).toBeUndefined();
  });

  it("evicts the least recently used scorer, but no route that another scorer uses", () => {
    const route = (name: string): RouteProfile => ({ id: name, name, description: "", columnLabels: [], examples: [] });
    const shared = route("Invoice");
    const [letter, receipt] = [route("Letter"), route("Receipt")];
    const scorers = createRouteScorers(200_000);
    assemble(scorers, "used", [shared, letter]);
    assemble(scorers, "idle", [shared, receipt]);
    for (let index = 0; index < 30; index++) {
      expect(scorers.score("used", "text", false)).toBeDefined();
      assemble(scorers, `other ${index}`, [shared, route(`Kind ${index}`)]);
    }
    expect(scorers.score("idle", "text", false)).toBeUndefined();
    expect(scorers.findMissing([shared, letter, receipt].map(getKey))).toEqual([getKey(receipt)]);
  });

  it("keeps one scorer that is larger than the limit", () => {
    const scorers = createRouteScorers(1);
    const { routes, texts } = createRandomClassifier(1);
    assemble(scorers, "large", routes);
    expect(scorers.score("large", texts[0]!, false)).toBeDefined();
  });
});
