import { arrangeConfusion, drawCurve, findMaxRisk, findPoint } from "./points.ts";

const curve = [
  { threshold: 0.9, coverage: 0.2, risk: 0 },
  { threshold: 0.7, coverage: 0.6, risk: 0.1 },
  { threshold: 0.4, coverage: 1, risk: 0.25 },
];

describe("the quality of a classifier", () => {
  it("has a line for each route, for deleted ones, and for UNCLASSIFIED", () => {
    const route = { precision: null, precisionCi95: null, recall: null, recallCi95: null, support: 0 };
    const { routeIds, lines } = arrangeConfusion({
      routes: [
        { ...route, routeId: "a", routeName: "A" },
        { ...route, routeId: "b", routeName: "B" },
      ],
      confusion: [
        { reviewed: "a", decided: "a", count: 5 },
        { reviewed: "a", decided: null, count: 2 },
        { reviewed: "gone", decided: "a", count: 1 },
        { reviewed: null, decided: null, count: 3 },
      ],
    });
    expect(routeIds).toEqual(["a", "b", "gone", null]);
    expect(lines.map(({ cells, total }) => [...cells.map(({ count }) => count), total])).toEqual([
      [5, 0, 0, 2, 7],
      [0, 0, 0, 0, 0],
      [1, 0, 0, 0, 1],
      [0, 0, 0, 3, 3],
    ]);
    expect(lines[3]?.cells.map(({ isRight }) => isRight)).toEqual([false, false, false, true]);
  });

  it("finds what a threshold routes", () => {
    expect([0.95, 0.9, 0.8, 0.7, 0].map((threshold) => findPoint(curve, threshold)?.coverage)).toEqual([
      undefined,
      0.2,
      0.2,
      0.6,
      1,
    ]);
    expect(findPoint([], 0.5)).toBeUndefined();
  });

  it("draws the curve with an axis that fits", () => {
    expect([findMaxRisk(curve), findMaxRisk([]), findMaxRisk([{ threshold: 0, coverage: 1, risk: 1 }])]).toEqual([
      0.3, 0.1, 1,
    ]);
    expect(drawCurve(curve, 200, 0.5)).toBe("40,200 120,160 200,100");
  });
});
