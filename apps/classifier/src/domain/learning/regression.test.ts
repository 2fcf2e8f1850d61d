import { createKindText, type Kind } from "../../testing/labeled-texts.ts";
import { createRouteScorer } from "../scoring/scorer.ts";
import type { RouteProfile } from "../scoring/scorer.ts";
import { MAX_SCORED_CHARACTERS } from "../scoring/text-terms.ts";
import { MAX_LEARNED_CHARACTERS, type LabeledText } from "./labeled-text.ts";
import { learn } from "./learner.ts";
import { createLearnedScorer } from "./learned-scorer.ts";

const routes = ["Type A", "Type B"].map((name): RouteProfile => ({
  id: name,
  name,
  description: "",
  columnLabels: [],
  examples: [],
}));
const cold = createRouteScorer(routes);

/** Creates the text of a document of which one part is of one kind and the rest of another one. */
function write(beginning: Kind, rest: Kind, number: number): string {
  const start = createKindText(beginning, number, 1_500).slice(0, MAX_SCORED_CHARACTERS);
  return `${start} ${createKindText(rest, number, 600)}`.slice(0, MAX_LEARNED_CHARACTERS);
}

function label(write: (type: number, number: number) => string, count: number): LabeledText[] {
  return routes.flatMap(({ id }, type) =>
    Array.from({ length: count }, (_, number) => ({
      id: `${id} ${String(number)}`,
      routeId: id,
      text: write(type, 100 * type + number),
    })),
  );
}

describe("the part of documents that is learned from", () => {
  const [weather, baking] = ["weather", "baking"] as const;
  const inRest = (type: number, number: number): string => write("chess", type === 0 ? weather : baking, number);
  // The rest of every second document of a type is like those of the other type.
  const inBeginning = (type: number, number: number): string => {
    const own = createKindText(type === 0 ? weather : baking, number, 5);
    return write("chess", number % 2 === 0 ? weather : baking, number).replace(/(?<=^.{2000})\S*/, ` ${own} `);
  };

  it("is the longer one where what follows tells more", () => {
    const state = learn(label(inRest, 20), routes, cold)!;
    expect(state.characters).toBe(MAX_LEARNED_CHARACTERS);
    const score = createLearnedScorer(state);
    for (const [type, { id }] of routes.entries()) {
      const scores = score(routes, cold, inRest(type, 777));
      expect(scores.toSorted((left, right) => right.score - left.score)[0]!.routeId).toBe(id);
    }
  });

  it("is the shorter one where what follows tells less", () => {
    expect(learn(label(inBeginning, 20), routes, cold)!.characters).toBe(MAX_SCORED_CHARACTERS);
  });

  it("is the shorter one where too few texts can be compared, or a route has none", () => {
    expect(learn(label(inRest, 14), routes, cold)!.characters).toBe(MAX_SCORED_CHARACTERS);
    const third = { ...routes[0]!, id: "Type C", name: "Type C" };
    const all = [...routes, third];
    expect(learn(label(inRest, 20), all, createRouteScorer(all))!.characters).toBe(MAX_SCORED_CHARACTERS);
  });
});
