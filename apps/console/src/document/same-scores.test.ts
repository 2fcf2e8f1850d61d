import { hasSameScores } from "./same-scores.ts";

describe("the scores of two decisions", () => {
  const first = { routeId: "rte_1", score: 0.5, ineligibleReason: null };
  const second = { routeId: "rte_2", score: null, ineligibleReason: "ROUTE_DISABLED" } as const;

  it("are the same if routes, order, scores and exclusions are", () => {
    expect(hasSameScores([], [])).toBe(true);
    expect(hasSameScores([first, second], [{ ...first }, { ...second }])).toBe(true);
    expect(hasSameScores([first, second], [second, first])).toBe(false);
    expect(hasSameScores([first], [first, second])).toBe(false);
    expect(hasSameScores([first], [{ ...first, score: 0.51 }])).toBe(false);
    expect(hasSameScores([first], [{ ...first, routeId: "rte_3" }])).toBe(false);
    expect(hasSameScores([first], [{ ...first, ineligibleReason: "MODEL_PAUSED" }])).toBe(false);
  });
});
