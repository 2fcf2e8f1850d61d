import { describeChanges, describeCreation, describeDeletion } from "./audited-change.ts";
import type { AuditedClassifier, AuditedRoute } from "./audited-change.ts";

const numbers = { minConfidence: null, minMargin: null, pages: null };
const settings = { engine: "local", modelName: null, ...numbers, secondOpinion: null };
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

describe("audit entries of classifiers", () => {
  it("are written for creation and deletion", () => {
    const routes = [{ routeId: "rte_1", ...target }];
    expect(describeCreation(classifier)).toEqual({
      targetId: "clf_1",
      changes: { name: "Inbox", projectId: "prj_1", routes },
    });
    expect(describeCreation({ ...classifier, routes: [] }).changes).toEqual({ name: "Inbox", projectId: "prj_1" });
    expect(describeDeletion(classifier)).toEqual({ targetId: "clf_1", changes: { name: "Inbox", projectId: "prj_1" } });
  });

  it("are not written if nothing changed", () => {
    expect(describeChanges(classifier, structuredClone(classifier))).toEqual([]);
  });

  it("contain every changed field of a classifier, with both values", () => {
    const after = {
      ...classifier,
      projectId: null,
      name: "Post",
      description: "All",
      settings: { ...settings, pages: 3 },
    };
    expect(describeChanges(classifier, after)).toEqual([
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

  it("are written for each route that was added, changed or removed, and count examples", () => {
    const changed = {
      ...route,
      name: "Bills",
      deploymentId: "dep_1",
      minConfidence: 0.5,
      enabled: false,
      description: "x",
    };
    const added = { ...route, id: "rte_2", modelId: "mdl_2" };
    const gone = { ...route, id: "rte_3", modelId: "mdl_3" };
    const texts = new Map([["rte_1", { from: ["a", "b"], to: ["b", "c", "d"] }]]);
    const before = { ...classifier, routes: [route, gone] };
    expect(describeChanges(before, { ...classifier, routes: [changed, added] }, texts)).toEqual([
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

  it("are written for a route if only its examples changed", () => {
    const texts = new Map([["rte_1", { from: ["a", "b"], to: ["b", "a"] }]]);
    expect(describeChanges(classifier, classifier, texts)).toEqual([
      { targetId: "rte_1", changes: { classifierId: "clf_1", examples: { added: 0, removed: 0 } } },
    ]);
  });
});
