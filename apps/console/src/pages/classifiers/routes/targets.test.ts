import type { Model, Route } from "@switchyard/client";
import { listTargets } from "./targets.ts";

const model = (id: string, changed: Partial<Model> = {}): Model => ({
  id,
  name: `Model ${id}`,
  type: "MODEL",
  status: "ACTIVE",
  projectId: "p",
  extractionSchemaId: `sch_${id}`,
  tableCount: 1,
  deployments: [{ id: `${id}-1`, name: "Stable", status: "PAUSED", extractionSchemaId: `sch_${id}` }],
  createdAt: null,
  updatedAt: null,
  ...changed,
});

const route = (id: string, deploymentId: string, targetDeploymentId: string | null): Route => ({
  id,
  name: `Route ${id}`,
  description: "",
  deploymentId,
  deployment: null,
  targetDeploymentId,
  targetDeployment: null,
});

const describeAll = (projectId: string | null, models: readonly Model[], editedRouteId?: string): string[] =>
  listTargets(models, { projectId, deploymentRoutes: [route("r", "a", "a-1")] }, editedRouteId).map(
    ({ key, isPaused, refusal }) => `${key.trim()}${isPaused ? " paused" : ""} ${refusal?.code ?? "free"}`,
  );

describe("the targets of a route", () => {
  it("are models and their deployments, each with the first reason of the server", () => {
    const models = [
      model("a"),
      model("b", { extractionSchemaId: null, deployments: [], status: "PAUSED" }),
      model("c", { projectId: "q", extractionSchemaId: null, deployments: [] }),
    ];
    expect(describeAll("p", models)).toEqual([
      "a free",
      "a a-1 paused ROUTE_EXISTS",
      "b paused MODEL_HAS_NO_SCHEMA",
      "c MODEL_OF_ANOTHER_PROJECT",
    ]);
    expect(describeAll(null, models).at(-1)).toBe("c MODEL_HAS_NO_SCHEMA");
    expect(describeAll("p", models, "r")[1]).toBe("a a-1 paused free");
  });
});
