import { validateSettings } from "./settings-validation.ts";

const engines = [
  { name: "office", models: ["small", "large"] },
  { name: "further", models: null },
];
type Settings = Parameters<typeof validateSettings>[0];
const faults = (settings: Settings): string[] => validateSettings(settings, engines).map(({ field }) => field);

describe("validateSettings", () => {
  it.each<[Settings]>([
    [undefined],
    [{}],
    [{ engine: "local", numberOfExamples: 20, useExamples: false }],
    [{ engine: "office" }],
    [{ engine: "further", useExamples: true }],
    [{ engine: "office", modelName: "large", temperature: 2, numberOfExamples: 0 }],
  ])("accepts %o", (settings) => {
    expect(faults(settings)).toEqual([]);
  });

  it.each<[Settings, string[]]>([
    [{ modelName: "small", temperature: 0, numberOfExamples: 21 }, ["modelName", "temperature", "numberOfExamples"]],
    [{ engine: "further", modelName: "small", temperature: 0 }, ["modelName", "temperature"]],
    [{ engine: "other", modelName: "small", numberOfExamples: -1 }, ["engine", "numberOfExamples"]],
    [{ engine: "office", modelName: "huge", temperature: 2.1 }, ["modelName", "temperature"]],
    [{ engine: "office", modelName: "", temperature: NaN }, ["modelName", "temperature"]],
  ])("reports the fields of %o", (settings, fields) => {
    expect(faults(settings)).toEqual(fields.map((field) => `extractionSettings.${field}`));
  });
});
