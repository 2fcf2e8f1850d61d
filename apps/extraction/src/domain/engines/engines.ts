import type { ExtractionEngine } from "./engine.ts";
import { languageModel } from "./language-model/language-model.ts";
import { local } from "./local/local.ts";

/** The engine that learns, and the one of all language models. */
export const engines = { local, "language-model": languageModel } as const;

/**
 * Further engines, by the names that settings give them. They use no language model, and know only the document and the configuration. A
 * new one is a folder beside this file and a line here; then run `npm run generate`, which lets settings name it.
 */
export const furtherEngines: ReadonlyMap<string, ExtractionEngine<undefined>> = new Map([]);

/** The kind of an engine: how it is asked, and what it is told. */
export type EngineKind = keyof typeof engines | "further";
