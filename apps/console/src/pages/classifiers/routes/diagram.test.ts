import type { Route } from "@switchyard/client";
import { colorProjects, layOutDiagram } from "./diagram.ts";
import { listRouteFacts } from "./route-facts.ts";

const route = (id: string, project: string, deployment?: string): Route => ({
  id,
  name: `Route ${id}`,
  description: "",
  deploymentId: `model-${id}`,
  deployment: {
    id: `model-${id}`,
    name: "Invoices",
    type: "MODEL",
    projectId: project,
    project: { id: project, name: project },
  },
  targetDeploymentId: deployment ?? null,
  targetDeployment: deployment === undefined ? null : { id: deployment, name: deployment, status: "PAUSED" },
});

describe("the diagram of a classifier", () => {
  const facts = listRouteFacts(
    {
      deploymentRoutes: [route("1", "p", "stable"), route("2", "q"), route("3", "p")],
      excludedRoutes: [
        { routeId: "1", reason: "DEPLOYMENT_PAUSED" },
        { routeId: "3", reason: "ROUTE_DISABLED" },
      ],
      routeWins: [{ routeId: "2", count: 7 }],
    },
    [],
  );
  const { boxes, lines, projects } = layOutDiagram({ id: "c", name: "Inbox" }, facts);

  it("has a row for each route, and says what is excluded and why", () => {
    expect(boxes.map(({ kind, name, model, reason }) => [kind, name, model, reason])).toEqual([
      ["classifier", "Inbox", undefined, undefined],
      ["route", "Route 1", undefined, "DEPLOYMENT_PAUSED"],
      ["target", "stable", "Invoices", "DEPLOYMENT_PAUSED"],
      ["route", "Route 2", undefined, undefined],
      ["target", "Invoices", undefined, undefined],
      ["route", "Route 3", undefined, "ROUTE_DISABLED"],
      ["target", "Invoices", undefined, undefined],
    ]);
    expect(new Set(boxes.map(({ x, y }) => `${x} ${y}`)).size).toBe(7);
    expect(lines.map(({ from, to, isOut }) => `${from}>${to}${isOut ? " out" : ""}`)).toEqual([
      "c>1 out",
      "1>target 1 out",
      "c>2",
      "2>target 2",
      "c>3 out",
      "3>target 3 out",
    ]);
  });

  it("gives each project a color, and each route its count", () => {
    expect([...colorProjects(projects).keys()]).toEqual(["p", "q"]);
    expect(new Set(colorProjects(projects).values()).size).toBe(2);
    expect(facts.map(({ wins }) => wins)).toEqual([0, 7, 0]);
  });
});
