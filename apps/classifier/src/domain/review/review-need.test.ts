import { findReviewNeed, NEAR_THRESHOLD } from "./review-need.ts";

const scored = { threshold: 0.5, margin: 0.3 };

describe("findReviewNeed", () => {
  it("gives a document that was not routed its own reason", () => {
    const decision = {
      ...scored,
      status: "UNCLASSIFIED",
      reason: "AMBIGUOUS",
      message: "Two fit.",
      confidence: 0.6,
    } as const;
    expect(findReviewNeed(decision)).toEqual({ rank: 90, code: "AMBIGUOUS", message: "Two fit." });
  });

  it("ranks a choice between routes before a document that fits none, and that before a damaged file", () => {
    const reasons = ["UNREADABLE_FILE", "NO_MATCH", "BELOW_THRESHOLD", "AMBIGUOUS"] as const;
    const ranks = reasons.map((reason) => {
      const decision = { ...scored, status: "UNCLASSIFIED", reason, message: "", confidence: null } as const;
      return findReviewNeed(decision)?.rank ?? 0;
    });
    expect(ranks).toEqual(ranks.toSorted((left, right) => left - right));
    expect(new Set(ranks).size).toBe(4);
  });

  it.each([
    [0.5, "NEAR_THRESHOLD"],
    [0.5 + NEAR_THRESHOLD, "NEAR_THRESHOLD"],
    [0.56, undefined],
  ])("of a routed document with the confidence %d: %s", (confidence, code) => {
    expect(findReviewNeed({ ...scored, status: "CLASSIFIED", routeId: "rte_1", confidence })?.code).toBe(code);
  });
});
