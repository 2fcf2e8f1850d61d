import { listExtractionEngines } from "@switchyard/engines";
import type { Engines } from "@switchyard/engines";
import type { UsableEngine } from "../../domain/schemas/settings-validation.ts";

/** Lists the engines that the settings of an organization may name for extraction: those of the program, and its language models. */
export function listUsableEngines(engines: Pick<Engines, "list">, organizationId: string): UsableEngine[] {
  return [...listExtractionEngines().map((name) => ({ name, models: null })), ...engines.list(organizationId)];
}
