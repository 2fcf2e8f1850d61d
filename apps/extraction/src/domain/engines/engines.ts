import { languageModel } from "./language-model/language-model.ts";
import { local } from "./local/local.ts";

/** The engines by their kind. Each is a folder; a new one is a line here. */
export const engines = { local, "language-model": languageModel } as const;

/** The kind of an engine. */
export type EngineKind = keyof typeof engines;
