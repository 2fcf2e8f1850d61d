import { computeProbabilities, train } from "./ranker.ts";

/** The places of twelve features. */
const features = (first: number): Uint32Array => Uint32Array.from({ length: 12 }, (_, index) => first + index);

describe("the ranker of candidates", () => {
  // In every third document that taught, the answer of the rules, which has a score of 1, was wrong.
  const taught = Array.from({ length: 120 }, (_, index) => ({
    features: [features(0), features(100)],
    priors: index % 3 === 0 ? [0.4, 1] : [1, 0.4],
    right: [true, false],
  }));
  const weights = train(taught, 5);

  it("prefers candidates like those that were right to the answer of the rules", () => {
    const [right = 0] = computeProbabilities({ features: [features(0), features(100)], priors: [0.4, 1] }, weights, 5);
    expect(right).toBeGreaterThan(0.95);
  });

  it("leaves the rules a say where their answer is like nothing that taught", () => {
    const [, ruled = 0] = computeProbabilities(
      { features: [features(0), features(200)], priors: [0.4, 1] },
      weights,
      5,
    );
    expect(ruled).toBeGreaterThan(0.2);
  });
});
