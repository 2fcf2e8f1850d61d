import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { CreateClassifierRequestSchema } from "@switchyard/contracts/switchyard/classifier/v1/classifier";
import { keepEngines, toSettings, validateClassifier } from "./classifier-input.ts";

const getInvalidFields = (request: MessageInitShape<typeof CreateClassifierRequestSchema>): string[] =>
  validateClassifier(create(CreateClassifierRequestSchema, request), (engine) =>
    engine === "cloud" ? ["large", "small"] : undefined,
  ).map(({ field }) => field);

describe("validateClassifier", () => {
  it("accepts values at the limits", () => {
    const route = { modelId: "mdl_1", name: "n".repeat(120), description: "d".repeat(2000), minConfidence: 1 };
    const examples = Array.from({ length: 20 }, () => "e".repeat(2000));
    const settings = { engine: "local", minConfidence: 0, minMargin: 1, pages: 100 };
    expect(
      getInvalidFields({
        projectId: "prj_1",
        name: ` ${"n".repeat(120)} `,
        routes: [{ ...route, examples }],
        settings,
      }),
    ).toEqual([]);
  });

  it("accepts the engines that the organization may use, each with one of its models", () => {
    const named = { projectId: "prj_1", name: "n" };
    const fields = (settings: NonNullable<MessageInitShape<typeof CreateClassifierRequestSchema>["settings"]>) =>
      getInvalidFields({ ...named, settings });
    expect(fields({ engine: "cloud" })).toEqual([]);
    expect(fields({ engine: "cloud", modelName: "small", secondOpinion: { engine: "local" } })).toEqual([]);
    expect(fields({ secondOpinion: { engine: "cloud", modelName: "large" } })).toEqual([]);
    expect(fields({ engine: "other" })).toEqual(["settings.engine"]);
    expect(fields({ engine: "cloud", modelName: "other" })).toEqual(["settings.modelName"]);
    expect(fields({ modelName: "small" })).toEqual(["settings.modelName"]);
    expect(fields({ secondOpinion: {} })).toEqual(["settings.secondOpinion.engine"]);
    expect(fields({ secondOpinion: { engine: "Cloud" } })).toEqual(["settings.secondOpinion.engine"]);
    expect(fields({ secondOpinion: { engine: "cloud", modelName: "" } })).toEqual(["settings.secondOpinion.modelName"]);
  });

  it("reports all faults with their fields", () => {
    expect(
      getInvalidFields({
        name: "  ",
        description: "d".repeat(2001),
        routes: [
          { modelId: "mdl_1" },
          {
            targetDeploymentId: "",
            name: "n".repeat(121),
            minConfidence: 1.5,
            examples: [...Array<string>(20).fill("e"), "e".repeat(2001)],
          },
        ],
        settings: { engine: "remote", minMargin: -0.1, pages: 0 },
      }),
    ).toEqual([
      "projectId",
      "name",
      "description",
      "settings.engine",
      "settings.minMargin",
      "settings.pages",
      "routes[1].deploymentId",
      "routes[1].targetDeploymentId",
      "routes[1].name",
      "routes[1].examples",
      "routes[1].examples[20]",
      "routes[1].minConfidence",
    ]);
  });

  it("rejects NaN", () => {
    expect(getInvalidFields({ projectId: "prj_1", name: "n", settings: { minConfidence: Number.NaN } })).toEqual([
      "settings.minConfidence",
    ]);
  });
});

describe("keepEngines", () => {
  it("lets settings keep an engine and a model that the operator has removed", () => {
    const settings = { ...toSettings(undefined), engine: "gone", modelName: "old" };
    const find = keepEngines((engine) => (engine === "cloud" ? ["large"] : undefined), {
      ...settings,
      secondOpinion: { engine: "cloud", modelName: "removed" },
    });
    expect([find("gone"), find("cloud"), find("other")]).toEqual([["old"], ["large", "removed"], undefined]);
    const first = keepEngines(() => undefined, { ...settings, modelName: null, secondOpinion: null });
    expect([first("gone"), first("cloud")]).toEqual([[], undefined]);
  });
});
