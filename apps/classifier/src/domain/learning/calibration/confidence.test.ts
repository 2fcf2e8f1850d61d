import * as fc from "fast-check";
import { decide, DEFAULT_MIN_MARGIN } from "../../decision/decision.ts";
import { calibrate, fitDoubtDivisor, getDoubtFactor, type ConfidenceSample } from "./confidence.ts";

const seed = Date.now() % 1_000_000;

/** Creates forty samples from doubtful to certain ones. Some of the first need more confidence than they have. */
function createSamples(isWrong: (number: number) => boolean): ConfidenceSample[] {
  return Array.from({ length: 40 }, (_, index) => {
    const best = 0.4 + (0.59 * (index + 1)) / 40;
    return { best, second: (1 - best) / 2, right: !isWrong(index + 1) };
  });
}

describe("the calibration of the confidence", () => {
  it("multiplies the odds beyond those that the decision needs", () => {
    // Needed are 0.45 without rivals, and 1 / 1.85 beside one that has all the doubt, as 0.85 / 1.85 is 15 % less.
    const odds = (confidence: number) => confidence / (1 - confidence);
    for (const { best, second, needed } of [
      { best: 0.9, second: 0.05, needed: 0.45 },
      { best: 0.46, second: 0, needed: 0.45 },
      { best: 0.8, second: 0.2, needed: 1 / 1.85 },
    ]) {
      const expected = odds(needed) + 3 * (odds(best) - odds(needed));
      expect(odds(1 - (1 - best) * getDoubtFactor({ best, second }, 3))).toBeCloseTo(expected, 9);
    }
    expect(getDoubtFactor({ best: 1, second: 0 }, 3)).toBeCloseTo(1 / 3, 9);
  });

  it("changes no confidence that is not sufficient", () => {
    expect(getDoubtFactor({ best: 0.45, second: 0 }, 3)).toBe(1);
    expect(getDoubtFactor({ best: 0.54, second: 0.46 }, 3)).toBe(1);
    expect(calibrate([0.5, 0.48], ["a", "b"], 0, 3)).toEqual([0.5, 0.48]);
    expect(calibrate([0], ["a"], 0, 3)).toEqual([0]);
  });

  it("keeps a document that was just answered where the answers are less certain than they seem", () => {
    const [best, second] = calibrate([0.57, 0.43], ["a", "b"], 0, 0.5);
    expect(best!).toBeLessThan(0.57);
    expect(1 - second! / best!).toBeGreaterThan(DEFAULT_MIN_MARGIN);
  });

  it(`decides as before, with confidences that are shares of 1 (seed ${String(seed)})`, () => {
    const weights = fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(weights, fc.double({ min: 0.5, max: 32, noNaN: true }), (raw, divisor) => {
        const total = raw.reduce((sum, weight) => sum + weight, 0);
        const confidences = raw.map((weight) => weight / Math.max(1, total));
        const groups = raw.map((_, place) => String(place));
        const calibrated = calibrate(confidences, groups, confidences.indexOf(Math.max(...confidences)), divisor);
        expect(calibrated.reduce((sum, confidence) => sum + confidence, 0)).toBeLessThanOrEqual(1 + 1e-9);
        const [before, after] = [confidences, calibrated].map((scores) => {
          const routes = groups.map((routeId) => ({
            ...{ routeId, name: routeId, modelId: routeId, deploymentId: null },
            ...{ createdAt: new Date(0), minConfidence: null, excluded: null },
          }));
          const settings = { minConfidence: null, minMargin: null };
          const scored = scores.map((score, place) => ({ routeId: groups[place]!, score }));
          const decision = decide({ routes, scores: scored, settings });
          return decision.status === "CLASSIFIED" ? decision.routeId : decision.reason;
        });
        expect(after).toBe(before);
      }),
      { seed },
    );
  });

  it("lets routes of one group keep their ratio", () => {
    const [best, twin, other] = calibrate([0.8, 0.4, 0.1], ["model", "model", "other"], 0, 3);
    expect(twin! / best!).toBeCloseTo(0.5, 9);
    expect(best!).toBeGreaterThan(0.88);
    expect(other!).toBeLessThan(0.06);
  });

  // The maxima of the posterior are 3.547, 1.256 and 10.19, computed on the odds by another program (SciPy).
  it.each([
    ["one in ten is", (number: number) => number % 10 === 0, 2 ** 1.75],
    ["one in four is", (number: number) => number % 4 === 0, 2 ** 0.25],
    ["none is", () => false, 2 ** 3.25],
  ])("finds the most likely divisor where %s wrong", (_, isWrong, expected) => {
    expect(fitDoubtDivisor(createSamples(isWrong))).toBeCloseTo(expected, 9);
  });

  it("expects that answers are surer than they seem, and changes nothing where no text can be left out", () => {
    expect(fitDoubtDivisor([{ best: 0.4, second: 0.3, right: true }])).toBeCloseTo(2 ** 1.5, 9);
    expect(fitDoubtDivisor([])).toBe(1);
    expect(fitDoubtDivisor([{ best: 0.6, second: 0.3, right: false }])).toBe(1);
  });
});
