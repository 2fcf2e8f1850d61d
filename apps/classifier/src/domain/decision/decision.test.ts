import * as fc from "fast-check";
import { decide, DEFAULT_MIN_CONFIDENCE, DEFAULT_MIN_MARGIN } from "./decision.ts";
import type { DecisionRoute } from "./decision-route.ts";

const seed = Date.now() % 1_000_000;
const defaults = { minConfidence: null, minMargin: null };

function route(routeId: string, overrides: Partial<DecisionRoute> = {}): DecisionRoute {
  return {
    routeId,
    name: routeId,
    modelId: `model of ${routeId}`,
    deploymentId: null,
    createdAt: new Date(0),
    minConfidence: null,
    excluded: null,
    ...overrides,
  };
}

function decideScored(scored: readonly (readonly [DecisionRoute, number])[], settings = {}) {
  return decide({
    routes: scored.map(([one]) => one),
    scores: scored.map(([{ routeId }, score]) => ({ routeId, score })),
    settings: { ...defaults, ...settings },
  });
}

describe("the decision", () => {
  it("selects the best route with a sufficient score and margin", () => {
    expect(
      decideScored([
        [route("Receipt"), 0.3],
        [route("Invoice"), 0.8],
      ]),
    ).toEqual({
      status: "CLASSIFIED",
      routeId: "Invoice",
      confidence: 0.8,
      threshold: DEFAULT_MIN_CONFIDENCE,
      margin: 0.625,
    });
  });

  it("has no confidence, threshold and margin without routes", () => {
    expect(decideScored([])).toEqual({
      status: "UNCLASSIFIED",
      reason: "NO_ROUTES",
      message: "The classifier has no routes.",
      confidence: null,
      threshold: null,
      margin: null,
    });
  });

  it("explains why no route is active", () => {
    const routes = ["A", "B", "C", "D"].map((id) => [route(id, { excluded: "MODEL_PAUSED" }), 0.9] as const);
    expect(decideScored(routes)).toMatchObject({
      reason: "NO_ACTIVE_ROUTE",
      message:
        "No route is active: “A”, its model is paused; “B”, its model is paused; “C”, its model is paused; and 1 more.",
      confidence: null,
    });
  });

  it("finds no match for a document that fits no route, even with a threshold of 0", () => {
    expect(decideScored([[route("Invoice"), 0.04]])).toMatchObject({
      reason: "NO_MATCH",
      message: "The document fits none of the routes; the closest is “Invoice” (0.04).",
      confidence: 0.04,
      threshold: DEFAULT_MIN_CONFIDENCE,
      margin: 1,
    });
    expect(decideScored([[route("Invoice"), 0]], { minConfidence: 0 })).toMatchObject({
      reason: "NO_MATCH",
      margin: 0,
    });
    expect(decideScored([[route("Invoice"), 0.01]], { minConfidence: 0 })).toMatchObject({ status: "CLASSIFIED" });
  });

  it("explains a score below the threshold", () => {
    expect(decideScored([[route("Invoice"), 0.3]], { minConfidence: 0.6 })).toMatchObject({
      reason: "BELOW_THRESHOLD",
      message: "The closest route is “Invoice” (0.30), below its threshold of 0.60.",
      threshold: 0.6,
    });
  });

  it("overrides the threshold of the classifier by that of the route, higher or lower", () => {
    const strict = route("Invoice", { minConfidence: 0.9 });
    expect(decideScored([[strict, 0.8]], { minConfidence: 0.1 })).toMatchObject({
      reason: "BELOW_THRESHOLD",
      threshold: 0.9,
    });
    const lenient = route("Invoice", { minConfidence: 0.2 });
    expect(decideScored([[lenient, 0.25]], { minConfidence: 0.9 })).toMatchObject({
      status: "CLASSIFIED",
      threshold: 0.2,
    });
  });

  it("accepts a score and a margin that equal their minimum", () => {
    expect(
      decideScored(
        [
          [route("A"), 0.5],
          [route("B"), 0.25],
        ],
        { minConfidence: 0.5, minMargin: 0.5 },
      ),
    ).toMatchObject({
      status: "CLASSIFIED",
    });
  });

  it("names both routes if it is ambiguous", () => {
    expect(
      decideScored([
        [route("Receipt"), 0.58],
        [route("Invoice"), 0.61],
      ]),
    ).toMatchObject({
      reason: "AMBIGUOUS",
      message: `Between “Invoice” (0.61) and “Receipt” (0.58): a lead of 5 %, and ${String(DEFAULT_MIN_MARGIN * 100)} % is needed.`,
      confidence: 0.61,
    });
  });

  it("ignores competition between routes to one model, and prefers deployments, then older routes, then lower IDs", () => {
    const modelId = "mdl_1";
    const toModel = route("a", { modelId });
    const toDeployment = route("d", { modelId, deploymentId: "dep_1", createdAt: new Date(2) });
    const older = route("e", { modelId, deploymentId: "dep_2", createdAt: new Date(1) });
    const twin = route("c", { modelId, deploymentId: "dep_3", createdAt: new Date(1) });
    const getWinner = (...routes: DecisionRoute[]) => decideScored(routes.map((one) => [one, 0.7] as const));
    expect(getWinner(toModel, toDeployment)).toMatchObject({ routeId: "d", margin: 1 });
    expect(getWinner(toModel, toDeployment, older)).toMatchObject({ routeId: "e" });
    expect(getWinner(toModel, toDeployment, older, twin)).toMatchObject({ routeId: "c" });
    expect(
      decideScored([
        [toModel, 0.8],
        [toDeployment, 0.7],
      ]),
    ).toMatchObject({ routeId: "a" });
  });

  it("ignores an excluded route, and mentions it if it fits better", () => {
    const out = route("NDA", { excluded: "DEPLOYMENT_PAUSED" });
    expect(
      decideScored([
        [out, 0.9],
        [route("Contract"), 0.85],
      ]),
    ).toMatchObject({ routeId: "Contract", margin: 1 });
    expect(
      decideScored([
        [out, 0.9],
        [route("Contract"), 0.2],
      ]),
    ).toMatchObject({
      reason: "BELOW_THRESHOLD",
      message:
        "The closest route is “Contract” (0.20), below its threshold of 0.45. “NDA” (0.90) fits better, but its deployment is paused.",
    });
  });

  it(`is total, bounded and independent of the order of the routes (seed ${String(seed)})`, () => {
    const scored = fc.record({
      modelId: fc.constantFrom("m1", "m2", "m3"),
      deploymentId: fc.constantFrom(null, "d1"),
      score: fc.integer({ min: 0, max: 20 }).map((value) => value / 20),
      excluded: fc.constantFrom(null, null, "MODEL_PAUSED" as const),
      minConfidence: fc.constantFrom(null, 0, 0.5, 1),
    });
    const fraction = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(fc.array(scored, { maxLength: 8 }), fraction, fraction, (items, minConfidence, minMargin) => {
        const routes = items.map(
          ({ score, ...overrides }, index) => [route(`r${String(index)}`, overrides), score] as const,
        );
        const settings = { minConfidence, minMargin };
        const decision = decideScored(routes, settings);
        expect(decideScored([...routes].reverse(), settings)).toMatchObject(
          decision.status === "CLASSIFIED" ? decision : { status: decision.status, reason: decision.reason },
        );
        if (decision.status === "UNCLASSIFIED") {
          expect(decision.message).not.toBe("");
          return;
        }
        const winner = routes.find(([{ routeId }]) => routeId === decision.routeId);
        expect(winner?.[0].excluded).toBeNull();
        expect(decision.confidence).toBeGreaterThanOrEqual(decision.threshold);
        expect(decision.margin).toBeLessThanOrEqual(1);
      }),
      { seed },
    );
  });
});
