import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  UpdateClassifierRequestSchema,
  UpdateRouteRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { classifierChange, routeChange } from "./classifier-change.ts";

const ofClassifier = (request: MessageInitShape<typeof UpdateClassifierRequestSchema>) =>
  classifierChange(create(UpdateClassifierRequestSchema, request));
const ofRoute = (request: MessageInitShape<typeof UpdateRouteRequestSchema>) =>
  routeChange(create(UpdateRouteRequestSchema, request));
const mask = (...paths: string[]) => ({ updateMask: { paths } });
const defaults = { engine: "local", minConfidence: null, minMargin: null, pages: null };

describe("the change of a classifier", () => {
  it("is what the mask names, without a mask what holds something", () => {
    const request = { name: " New ", description: "d" };
    expect(ofClassifier({ ...request, ...mask("name") })).toEqual({ kind: "change", change: { name: "New" } });
    expect(ofClassifier({ ...request, ...mask() })).toEqual({ kind: "change", change: {} });
    expect(ofClassifier(request)).toEqual({ kind: "change", change: { name: "New", description: "d" } });
    expect(ofClassifier(mask("description"))).toEqual({ kind: "change", change: { description: "" } });
  });

  it("replaces the settings as a whole", () => {
    const change = (settings: object) => ofClassifier({ settings, ...mask("settings") });
    expect(change({ pages: 3 })).toEqual({ kind: "change", change: { settings: { ...defaults, pages: 3 } } });
    expect(change({})).toEqual({ kind: "change", change: { settings: defaults } });
  });

  it("reports every fault at once, of what is named only", () => {
    const wrong = { name: " ", description: "d".repeat(2001), settings: { engine: "remote" } };
    const fields = (paths: string[]) => {
      const outcome = ofClassifier({ ...wrong, ...mask(...paths) });
      return outcome.kind === "faults" ? outcome.faults.map(({ field }) => field) : [];
    };
    expect(fields(["isGlobal", "name", "description", "settings"])).toEqual([
      "isGlobal",
      "name",
      "description",
      "settings.engine",
    ]);
    expect(fields(["description"])).toEqual(["description"]);
  });
});

describe("the change of a route", () => {
  it("tells apart what is cleared and what stays", () => {
    const paths = ["target_deployment_id", "name", "examples", "min_confidence"];
    expect(ofRoute(mask(...paths))).toEqual({
      kind: "change",
      change: { targetDeploymentId: null, name: "", examples: [], minConfidence: null },
    });
    expect(ofRoute(mask())).toEqual({ kind: "change", change: {} });
    expect(ofRoute({ targetDeploymentId: "dep_1", enabled: false, minConfidence: 0 })).toEqual({
      kind: "change",
      change: { targetDeploymentId: "dep_1", enabled: false, minConfidence: 0 },
    });
  });

  it("reports every fault at once, by REST names", () => {
    const outcome = ofRoute({
      targetDeploymentId: "",
      name: "n".repeat(121),
      description: "d".repeat(2001),
      examples: Array<string>(21).fill("e"),
      minConfidence: 2,
      ...mask(
        "model_id",
        "deployment_id",
        "deploymentId",
        "target_deployment_id",
        "name",
        "description",
        "examples",
        "min_confidence",
        "enabled",
      ),
    });
    expect(outcome.kind === "faults" && outcome.faults.map(({ field }) => field)).toEqual([
      "model_id",
      "deployment_id",
      "deploymentId",
      "targetDeploymentId",
      "name",
      "description",
      "examples",
      "minConfidence",
      "enabled",
    ]);
  });
});
