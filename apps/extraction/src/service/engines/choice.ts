import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Engines } from "@switchyard/engines";
import { engines as kinds, furtherEngines } from "../../domain/engines/engines.ts";
import type { EngineKind } from "../../domain/engines/engines.ts";
import { engine as local } from "../../domain/engines/local/version.ts";

/** The engine that the settings of a configuration name. */
export interface ChosenEngine {
  readonly kind: EngineKind;
  readonly name: string;
  /** The version without what was learned. */
  readonly version: string;
  /** The language model; null for an engine of the program, and for an engine that the operator has removed. */
  readonly modelName: string | null;
}

/**
 * Returns the engine that the settings of a configuration name, for an organization. Every name but those of the engines of the program is one of a
 * language model.
 */
export function chooseEngine(
  { extractionSettings }: Pick<Configuration, "extractionSettings">,
  organizationId: string,
  engines: Pick<Engines, "find">,
): ChosenEngine {
  const { engine: name = "", modelName } = extractionSettings ?? {};
  if (name === "" || name === local.name) return { kind: "local", ...local, modelName: null };
  const further = furtherEngines.get(name);
  if (further !== undefined) return { kind: "further", name, version: further.version, modelName: null };
  const first = engines.find(organizationId, name)?.models[0];
  return {
    kind: "language-model",
    name,
    version: kinds["language-model"].version,
    modelName: modelName ?? first ?? null,
  };
}
