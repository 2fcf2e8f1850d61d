import { getChanges, toCreation, toDeletion } from "./audited-change.ts";
import type { AuditedClassifier, AuditedRoute } from "./audited-change.ts";

const settings = { engine: "local", minConfidence: null, minMargin: null, pages: null };
const route: AuditedRoute = {
  id: "rte_1",
  name: "Invoices",
  description: "",
  modelId: "mdl_1",
  deploymentId: null,
  minConfidence: null,
  enabled: true,
};
const classifier: AuditedClassifier = {
  _id: "clf_1",
  projectId: "prj_1",
  name: "Inbox",
  description: "",
  settings,
  routes: [route],
};
const target = { deploymentId: "mdl_1", targetDeploymentId: null };

describe("what the audit trail says of classifiers", () => {
  it("names what came and went", () => {
    const routes = [{ routeId: "rte_1", ...target }];
    expect(toCreation(classifier)).toEqual({
      targetId: "clf_1",
      changes: { name: "Inbox", projectId: "prj_1", routes },
    });
    expect(toCreation({ ...classifier, routes: [] }).changes).toEqual({ name: "Inbox", projectId: "prj_1" });
    expect(toDeletion(classifier)).toEqual({ targetId: "clf_1", changes: { name: "Inbox", projectId: "prj_1" } });
  });

  it("has nothing where nothing changed", () => {
    expect(getChanges(classifier, structuredClone(classifier))).toEqual([]);
  });

  it("has every field of a classifier that changed, with both values", () => {
    const after = {
      ...classifier,
      projectId: null,
      name: "Post",
      description: "All",
      settings: { ...settings, pages: 3 },
    };
    expect(getChanges(classifier, after)).toEqual([
      {
        targetId: "clf_1",
        changes: {
          projectId: { from: "prj_1", to: null },
          name: { from: "Inbox", to: "Post" },
          description: { from: "", to: "All" },
          settings: { from: settings, to: { ...settings, pages: 3 } },
        },
      },
    ]);
  });

  it("has each route that came, changed or went, and counts examples", () => {
    const changed = {
      ...route,
      name: "Bills",
      deploymentId: "dep_1",
      minConfidence: 0.5,
      enabled: false,
      description: "x",
    };
    const came = { ...route, id: "rte_2", modelId: "mdl_2" };
    const gone = { ...route, id: "rte_3", modelId: "mdl_3" };
    const texts = new Map([["rte_1", { from: ["a", "b"], to: ["b", "c", "d"] }]]);
    const before = { ...classifier, routes: [route, gone] };
    expect(getChanges(before, { ...classifier, routes: [changed, came] }, texts)).toEqual([
      {
        targetId: "rte_1",
        changes: {
          classifierId: "clf_1",
          name: { from: "Invoices", to: "Bills" },
          description: { from: "", to: "x" },
          targetDeploymentId: { from: null, to: "dep_1" },
          minConfidence: { from: null, to: 0.5 },
          enabled: { from: true, to: false },
          examples: { added: 2, removed: 1 },
        },
      },
      {
        targetId: "rte_2",
        changes: { classifierId: "clf_1", name: "Invoices", deploymentId: "mdl_2", targetDeploymentId: null },
      },
      {
        targetId: "rte_3",
        changes: { classifierId: "clf_1", name: "Invoices", deploymentId: "mdl_3", targetDeploymentId: null },
      },
    ]);
  });

  it("tells of examples also where nothing else of a route changed", () => {
    const texts = new Map([["rte_1", { from: ["a", "b"], to: ["b", "a"] }]]);
    expect(getChanges(classifier, classifier, texts)).toEqual([
      { targetId: "rte_1", changes: { classifierId: "clf_1", examples: { added: 0, removed: 0 } } },
    ]);
  });
});
