import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  UpdateClassifierRequestSchema,
  UpdateRouteRequestSchema,
} from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { parseClassifierChange, parseRouteChange } from "./classifier-change.ts";

const parseClassifier = (request: MessageInitShape<typeof UpdateClassifierRequestSchema>) =>
  parseClassifierChange(create(UpdateClassifierRequestSchema, request), () => undefined);
const parseRoute = (request: MessageInitShape<typeof UpdateRouteRequestSchema>) =>
  parseRouteChange(create(UpdateRouteRequestSchema, request));
const mask = (...paths: string[]) => ({ updateMask: { paths } });
const numbers = { minConfidence: null, minMargin: null, pages: null };
const defaults = { engine: "local", modelName: null, ...numbers, secondOpinion: null };

describe("the change of a classifier", () => {
  it("contains the fields of the mask, or without a mask those that are not empty", () => {
    const request = { name: " New ", description: "d" };
    expect(parseClassifier({ ...request, ...mask("name") })).toEqual({ kind: "change", change: { name: "New" } });
    expect(parseClassifier({ ...request, ...mask() })).toEqual({ kind: "change", change: {} });
    expect(parseClassifier(request)).toEqual({ kind: "change", change: { name: "New", description: "d" } });
    expect(parseClassifier(mask("description"))).toEqual({ kind: "change", change: { description: "" } });
  });

  it("replaces all settings", () => {
    const change = (settings: object) => parseClassifier({ settings, ...mask("settings") });
    expect(change({ pages: 3 })).toEqual({ kind: "change", change: { settings: { ...defaults, pages: 3 } } });
    expect(change({})).toEqual({ kind: "change", change: { settings: defaults } });
  });

  it("reports all faults of the fields in the mask", () => {
    const wrong = { name: " ", description: "d".repeat(2001), settings: { engine: "remote" } };
    const fields = (paths: string[]) => {
      const outcome = parseClassifier({ ...wrong, ...mask(...paths) });
      return outcome.kind === "invalid" ? outcome.violations.map(({ field }) => field) : [];
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
  it("distinguishes fields that are cleared from fields that do not change", () => {
    const paths = ["target_deployment_id", "name", "examples", "min_confidence"];
    expect(parseRoute(mask(...paths))).toEqual({
      kind: "change",
      change: { targetDeploymentId: null, name: "", examples: [], minConfidence: null },
    });
    expect(parseRoute(mask())).toEqual({ kind: "change", change: {} });
    expect(parseRoute({ targetDeploymentId: "dep_1", enabled: false, minConfidence: 0 })).toEqual({
      kind: "change",
      change: { targetDeploymentId: "dep_1", enabled: false, minConfidence: 0 },
    });
  });

  it("reports all faults with the field names of REST", () => {
    const outcome = parseRoute({
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
    expect(outcome.kind === "invalid" && outcome.violations.map(({ field }) => field)).toEqual([
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
