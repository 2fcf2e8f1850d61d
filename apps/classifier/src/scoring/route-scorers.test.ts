import { randomClassifier } from "../testing/random-classifiers.ts";
import { createRouteScorer } from "../domain/scoring/scorer.ts";
import type { RouteProfile } from "../domain/scoring/scorer.ts";
import { createRouteScorers } from "./route-scorers.ts";
import type { RouteScorers } from "./route-scorers.ts";

const plenty = 1_000_000_000;

const getKey = (profile: RouteProfile): string => JSON.stringify(profile);

/** Makes a scorer, and answers how many routes had to be read for it. */
function make(scorers: RouteScorers, name: string, profiles: readonly RouteProfile[]): number {
  const keys = profiles.map(getKey);
  const lacking = scorers.lacking(keys);
  scorers.read(
    profiles.filter((profile) => lacking.includes(getKey(profile))).map((p) => ({ key: getKey(p), profile: p })),
  );
  expect(scorers.assemble(name, keys)).toBe(true);
  return lacking.length;
}

describe("the scorers that are kept", () => {
  it("score as ones made anew, also when most of their routes were read for others", () => {
    const scorers = createRouteScorers(plenty);
    for (let seed = 0; seed < 20; seed++) {
      const { routes, texts } = randomClassifier(seed);
      make(scorers, "before", routes);
      const changed = routes.map((route, index) => (index === 0 ? { ...route, name: `Invoice ${seed}` } : route));
      expect(make(scorers, `after ${seed}`, changed)).toBe(1);
      const anew = createRouteScorer(changed);
      for (const text of texts) expect(scorers.score(`after ${seed}`, text)).toEqual(anew(text));
    }
  });

  it("know nothing of routes and scorers that they were not given", () => {
    const scorers = createRouteScorers(plenty);
    expect(scorers.lacking(["a"])).toEqual(["a"]);
    expect(scorers.assemble("of a", ["a"])).toBe(false);
    expect(scorers.score("of a", "text")).toBeUndefined();
  });

  it("let go of what was used the longest time ago, and of no route that another scorer has", () => {
    const route = (name: string): RouteProfile => ({ id: name, name, description: "", columnLabels: [], examples: [] });
    const shared = route("Invoice");
    const [letter, receipt] = [route("Letter"), route("Receipt")];
    const scorers = createRouteScorers(200_000);
    make(scorers, "used", [shared, letter]);
    make(scorers, "idle", [shared, receipt]);
    for (let index = 0; index < 30; index++) {
      expect(scorers.score("used", "text")).toBeDefined();
      make(scorers, `other ${index}`, [shared, route(`Kind ${index}`)]);
    }
    expect(scorers.score("idle", "text")).toBeUndefined();
    expect(scorers.lacking([shared, letter, receipt].map(getKey))).toEqual([getKey(receipt)]);
  });

  it("keep one that is larger than all of the room", () => {
    const scorers = createRouteScorers(1);
    const { routes, texts } = randomClassifier(1);
    make(scorers, "large", routes);
    expect(scorers.score("large", texts[0]!)).toBeDefined();
  });
});
