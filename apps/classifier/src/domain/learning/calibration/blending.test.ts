import { fitBlend, type BlendedText } from "./blending.ts";

const classes = [0, 1, 2];

/** Creates texts of three classes, in which every `learnedErrs`-th learned score and every `coldErrs`-th cold score is for the wrong class. */
function createTexts(count: number, { learnedErrs, coldErrs }: { learnedErrs: number; coldErrs: number }) {
  return Array.from({ length: count }, (_, index): BlendedText => {
    const target = index % 3;
    const toScores = (errs: number, high: number, low: number) => {
      const chosen = (index + 1) % errs === 0 ? (target + 1) % 3 : target;
      return classes.map((each) => (each === chosen ? high : low));
    };
    return { target, learned: toScores(learnedErrs, 0.5, 0.1), cold: toScores(coldErrs, 0.9, 0.1) };
  });
}

describe("the blend of learned and cold scores", () => {
  const getShare = (texts: readonly BlendedText[], isComplete = true) => {
    const { learned, cold } = fitBlend(texts, 5, isComplete);
    return cold / learned;
  };

  it("leaves little weight to cold scores without which the texts are explained as well", () => {
    expect(getShare(createTexts(60, { learnedErrs: Infinity, coldErrs: 4 }))).toBeCloseTo(0.03, 9);
    expect(getShare(createTexts(60, { learnedErrs: 20, coldErrs: 20 }))).toBeCloseTo(0.03, 9);
  });

  it("leaves more weight to cold scores that explain what the learned ones do not", () => {
    expect(getShare(createTexts(60, { learnedErrs: 3, coldErrs: Infinity }))).toBeGreaterThan(0.1);
  });

  it("leaves it to them with few texts, or if there are none of some routes", () => {
    expect(getShare(createTexts(29, { learnedErrs: Infinity, coldErrs: 4 }))).toBeGreaterThan(0.1);
    expect(getShare(createTexts(60, { learnedErrs: Infinity, coldErrs: 4 }), false)).toBeGreaterThan(0.1);
  });
});
