import { toCandidates } from "./candidates.ts";
import type { RouteTarget } from "./candidates.ts";

const active = { paused: false, schemaId: "sch_1" };
const paused = { paused: true, schemaId: "sch_1" };
const withoutSchema = { paused: false, schemaId: null };

function target(overrides: Partial<RouteTarget>): RouteTarget {
  return {
    routeId: "rte_1",
    modelId: "mdl_1",
    deploymentId: null,
    enabled: true,
    model: active,
    deployment: null,
    ...overrides,
  };
}

const excluded = (overrides: Partial<RouteTarget>) => toCandidates([target(overrides)])[0]?.excluded;

describe("candidates", () => {
  it("include active routes to models and to deployments", () => {
    expect(excluded({})).toBeNull();
    expect(excluded({ deploymentId: "dep_1", deployment: active })).toBeNull();
  });

  it.each([
    ["the model was deleted", { model: null }, "TARGET_DELETED"],
    ["the deployment was deleted", { deploymentId: "dep_1" }, "TARGET_DELETED"],
    ["the route is disabled", { enabled: false }, "ROUTE_DISABLED"],
    ["the deployment is paused", { deploymentId: "dep_1", deployment: paused }, "DEPLOYMENT_PAUSED"],
    ["the model is paused", { model: paused }, "MODEL_PAUSED"],
    ["the deployment's model is paused", { deploymentId: "dep_1", deployment: active, model: paused }, "MODEL_PAUSED"],
    ["the model has no schema", { model: withoutSchema }, "SCHEMA_MISSING"],
    ["the deployment has no schema", { deploymentId: "dep_1", deployment: withoutSchema }, "SCHEMA_MISSING"],
  ] as const)("exclude a route if %s", (_, overrides, reason) => {
    expect(excluded(overrides)).toBe(reason);
  });

  it("depend on the schema of the deployment, not of its model", () => {
    expect(excluded({ deploymentId: "dep_1", deployment: active, model: withoutSchema })).toBeNull();
  });

  it("have the first of several reasons", () => {
    const all = { deploymentId: "dep_1", enabled: false, model: { paused: true, schemaId: null } } as const;
    const pausedWithoutSchema = { paused: true, schemaId: null };
    expect(excluded({ ...all, deployment: null })).toBe("TARGET_DELETED");
    expect(excluded({ ...all, deployment: pausedWithoutSchema })).toBe("ROUTE_DISABLED");
    expect(excluded({ ...all, enabled: true, deployment: pausedWithoutSchema })).toBe("DEPLOYMENT_PAUSED");
    expect(excluded({ ...all, enabled: true, deployment: withoutSchema })).toBe("MODEL_PAUSED");
  });

  it("are returned for every route in the given order", () => {
    const candidates = toCandidates([target({ routeId: "b" }), target({ routeId: "a", enabled: false })]);
    expect(candidates).toEqual([
      { routeId: "b", excluded: null },
      { routeId: "a", excluded: "ROUTE_DISABLED" },
    ]);
  });
});
