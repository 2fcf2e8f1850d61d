import { readFileSync } from "node:fs";
import { computeCalibrationError, computeQuality } from "./quality.ts";
import type { QualityOptions } from "./quality.ts";
import type { ReviewedDecision } from "./reviewed-decision.ts";
import { computeRiskCoverage, countByThreshold, findThreshold } from "./risk-coverage.ts";
import { computeWilsonInterval } from "@switchyard/statistics";

const rule = { minMargin: 0.15, ownThresholds: new Map<string, number>() };
const options: QualityOptions = {
  ...rule,
  routes: [
    { id: "rte_1", name: "Invoice" },
    { id: "rte_2", name: "Receipt" },
  ],
  precision: undefined,
};

/** A document of rte_1 if it is right, and of no route otherwise, whose best candidate is rte_1. */
function decision(confidence: number, right: boolean, more: Partial<ReviewedDecision> = {}): ReviewedDecision {
  const best = { routeId: "rte_1", confidence, margin: 1 };
  return { reviewed: right ? "rte_1" : null, decided: "rte_1", best, ...more };
}

/** Computed once with NumPy 2 and statsmodels 0.15: the mean of the bins, cumulative means, and proportion_confint(method="wilson"). */
const reference = {
  confidence: [0.05, 0.15, 0.18, 0.35, 0.55, 0.58, 0.72, 0.88, 0.91, 0.97, 1],
  right: [0, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1],
  calibrationError: 0.156_363_636_363_636_37,
  // From the highest threshold to the lowest.
  risk: [0, 0, 0, 0, 0, 1 / 6, 1 / 7, 0.25, 2 / 9, 0.3, 4 / 11],
  wilson: [
    { right: 58, of: 60, low: 0.886_362_257_256_914, high: 0.990_810_680_743_802_1 },
    { right: 49, of: 49, low: 0.927_302_180_779_503_5, high: 1 },
  ],
};
const documents = reference.confidence.map((confidence, index) => decision(confidence, reference.right[index] === 1));

/** Cases of the area under the risk-coverage curve and of the calibration error, with their source. */
const { cases } = JSON.parse(readFileSync(new URL("./reference/risk-coverage.json", import.meta.url), "utf8"));

describe("the quality of decisions", () => {
  it.each<any>(cases)(
    "has the area under the risk-coverage curve $aurc",
    ({ confidences, right, curve, ...figures }) => {
      const decisions = confidences.map((confidence: number, index: number) =>
        decision(confidence, right[index] === 1),
      );
      const points = computeRiskCoverage(countByThreshold(decisions, rule), decisions.length, decisions.length);
      expect(points.map(({ coverage, risk }) => [coverage, risk])).toEqual(
        curve.map((point: number[]) => point.map((figure) => expect.closeTo(figure, 12))),
      );
      const area = points.reduce((sum, { risk }) => sum + risk, 0) / points.length;
      expect(area).toBeCloseTo(figures.aurc, 12);
      expect(computeCalibrationError(decisions)).toBeCloseTo(figures.calibrationError, 12);
    },
  );

  it("has the calibration error, the risk and the intervals of an independent implementation", () => {
    expect(computeCalibrationError(documents)).toBeCloseTo(reference.calibrationError, 12);
    const curve = computeRiskCoverage(countByThreshold(documents, rule), documents.length, 200);
    expect(curve.map(({ risk }) => risk)).toEqual(reference.risk.map((risk) => expect.closeTo(risk, 12)));
    expect(curve.map(({ coverage }) => coverage)).toEqual(documents.map((_, index) => (index + 1) / documents.length));
    expect(curve.map(({ threshold }) => threshold)).toEqual(reference.confidence.toReversed());
    for (const { right, of, low, high } of reference.wilson) {
      const interval = computeWilsonInterval(right, of);
      expect([interval?.low, interval?.high]).toEqual([expect.closeTo(low, 9), expect.closeTo(high, 9)]);
    }
  });

  it("counts decisions by route, with UNCLASSIFIED and removed routes", () => {
    const decided = (reviewed: string | null, by: string | null) => ({ reviewed, decided: by, best: null });
    const quality = computeQuality(
      [
        decided("rte_1", "rte_1"),
        decided("rte_1", "rte_1"),
        decided("rte_1", "rte_2"),
        decided("rte_2", null),
        decided(null, "rte_1"),
        decided(null, null),
        decided("rte_1", "rte_gone"),
      ],
      options,
    );
    expect(quality.confusion).toEqual([
      { reviewed: "rte_1", decided: "rte_1", count: 2 },
      { reviewed: "rte_1", decided: "rte_2", count: 1 },
      { reviewed: "rte_1", decided: "rte_gone", count: 1 },
      { reviewed: "rte_2", decided: null, count: 1 },
      { reviewed: null, decided: "rte_1", count: 1 },
      { reviewed: null, decided: null, count: 1 },
    ]);
    expect(quality.routes).toEqual([
      {
        ...{ routeId: "rte_1", routeName: "Invoice", support: 4, precision: 2 / 3, recall: 0.5 },
        ...{ precisionCi95: computeWilsonInterval(2, 3), recallCi95: computeWilsonInterval(2, 4) },
      },
      {
        ...{ routeId: "rte_2", routeName: "Receipt", support: 1, precision: 0, recall: 0 },
        ...{ precisionCi95: computeWilsonInterval(0, 1), recallCi95: computeWilsonInterval(0, 1) },
      },
    ]);
    expect(quality).toMatchObject({ reviewed: 7, riskCoverage: [], calibrationError: null, threshold: null });
    const [unused] = computeQuality([], options).routes;
    expect(unused).toMatchObject({ precision: null, precisionCi95: null, recall: null, recallCi95: null, support: 0 });
  });

  it("finds the lowest threshold for a precision, which takes enough documents", () => {
    const find = (decisions: readonly ReviewedDecision[], precision: number) =>
      findThreshold(countByThreshold(decisions, rule), decisions.length, precision);
    const right = (count: number) => Array.from({ length: count }, (_, index) => decision(0.99 - index / 1_000, true));
    expect(find(right(48), 0.98)).toBeNull();
    expect(find(right(49), 0.98)).toEqual({
      ...{ precision: 0.98, coverage: 1, threshold: expect.closeTo(0.942, 9) },
      lowerBound: computeWilsonInterval(49, 49)?.low,
    });
    // A wrong one at 0.3 has to stay out, and one that was not scored is never routed.
    const mixed = [...right(49), decision(0.3, false), decision(0, false, { best: null })];
    expect(find(mixed, 0.98)).toMatchObject({ threshold: expect.closeTo(0.942, 9), coverage: 49 / 51 });
    expect(find(mixed, 0.9)).toMatchObject({ threshold: 0.3, coverage: 50 / 51 });
    expect(find(mixed, 1)).toBeNull();
  });

  it("follows the decision: ambiguous documents are not routed, and routes keep their own threshold", () => {
    const ambiguous = { best: { routeId: "rte_1", confidence: 0.9, margin: 0.1 } };
    const own = { reviewed: "rte_2", decided: "rte_2", best: { routeId: "rte_2", confidence: 0.2, margin: 1 } };
    const decisions = [decision(0.9, true, ambiguous), decision(0.8, false), decision(0.8, true), own];
    const ownThresholds = new Map([["rte_2", 0.1]]);
    expect(countByThreshold(decisions, { ...rule, ownThresholds })).toEqual([{ threshold: 0.8, routed: 3, wrong: 1 }]);
    ownThresholds.set("rte_2", 0.3);
    expect(countByThreshold(decisions, { ...rule, ownThresholds })).toEqual([{ threshold: 0.8, routed: 2, wrong: 1 }]);
  });

  it("has at most this many points, the last of which is the lowest threshold", () => {
    const many = Array.from({ length: 1_001 }, (_, index) => decision((index + 1) / 1_001, index > 100));
    const curve = computeQuality(many, options).riskCoverage;
    expect(curve).toHaveLength(200);
    expect(curve.at(-1)).toEqual({ coverage: 1, risk: 101 / 1_001, threshold: 1 / 1_001 });
  });
});
