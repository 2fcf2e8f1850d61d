export { createAnswerCache } from "./answer-cache.ts";
export type { AnswerCache } from "./answer-cache.ts";
export { listBuiltInEngines, listExtractionEngines } from "./built-in-engines.ts";
export { parseEngineFile, readEngineFile } from "./engine-file.ts";
export type { EngineDefinition } from "./engine-file.ts";
export { engineSettings, engineVariables } from "./engine-variables.ts";
export type {
  EngineAnswer,
  EngineCall,
  EngineDescription,
  EngineQuestion,
  Engines,
  EngineUsage,
  JsonSchema,
} from "./engines.ts";
export { EngineFailure, noUsage } from "./failure.ts";
export type { EngineFailureCode } from "./failure.ts";
export type { SharedPlaces } from "./limits/shared.ts";
export { openEngines } from "./open-engines.ts";
