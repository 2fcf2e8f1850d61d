export { listBuiltInEngines, listExtractionEngines } from "./built-in-engines.ts";
export { parseEngineFile } from "./engine-file.ts";
export type { EngineDefinition } from "./engine-file.ts";
export { engineSettings, engineVariables } from "./engine-variables.ts";
export type { EngineCall, EngineQuestion, Engines, EngineUsage } from "./engines.ts";
export { EngineFailure } from "./failure.ts";
export type { SharedPlaces } from "./limits/shared.ts";
export { openEngines } from "./open-engines.ts";
