import type { ExtractionSettingsInput } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Violation } from "@switchyard/text";
import type { Fields } from "./schema-content.ts";

/** The bounds of numbers in the settings for extraction. */
const settingsBounds = { temperature: 2, numberOfExamples: 20 } as const;

/** An engine that settings may name, with its language models; null for one of the program, which has none. */
export interface UsableEngine {
  readonly name: string;
  readonly models: readonly string[] | null;
}

/** The engine that is always available. Settings that name no engine use it. */
const local: UsableEngine = { name: "local", models: null };

/**
 * Validates the settings of a request. `engines` are the others that the organization may use. Stored settings are not validated
 * again, because the operator may have removed their engine meanwhile.
 */
export function validateSettings(
  settings: Fields<ExtractionSettingsInput> | undefined,
  engines: readonly UsableEngine[],
): Violation[] {
  if (settings === undefined) return [];
  const { engine = local.name, numberOfExamples: count } = settings;
  const path = "extractionSettings";
  const examples: Violation[] =
    count === undefined || (count >= 0 && count <= settingsBounds.numberOfExamples)
      ? []
      : [{ field: `${path}.numberOfExamples`, message: `must be 0 to ${settingsBounds.numberOfExamples}` }];
  const found = engine === local.name ? local : engines.find(({ name }) => name === engine);
  if (found === undefined)
    return [{ field: `${path}.engine`, message: "is not an engine of this server" }, ...examples];
  const faults = found.models === null ? validateBuiltIn(path, settings) : validateModel(path, settings, found.models);
  return [...faults, ...examples];
}

function validateBuiltIn(path: string, { modelName, temperature }: Fields<ExtractionSettingsInput>): Violation[] {
  const message = "must be null for an engine that has no models";
  return [
    ...(modelName === undefined ? [] : [{ field: `${path}.modelName`, message }]),
    ...(temperature === undefined ? [] : [{ field: `${path}.temperature`, message }]),
  ];
}

function validateModel(
  path: string,
  { modelName, temperature }: Fields<ExtractionSettingsInput>,
  models: readonly string[],
): Violation[] {
  const known = modelName === undefined || models.includes(modelName);
  // A comparison with NaN is false.
  const bounded = temperature === undefined || (temperature >= 0 && temperature <= settingsBounds.temperature);
  return [
    ...(known ? [] : [{ field: `${path}.modelName`, message: "is not a model of the engine" }]),
    ...(bounded ? [] : [{ field: `${path}.temperature`, message: `must be 0 to ${settingsBounds.temperature}` }]),
  ];
}
