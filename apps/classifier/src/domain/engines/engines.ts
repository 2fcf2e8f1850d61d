import type { ClassificationEngine } from "./engine.ts";
import { localEngine } from "./local/local-engine.ts";

/** An engine that needs nothing but the document and the routes. */
export interface FurtherEngine extends ClassificationEngine {
  /** A new version means that the same document may take another route. */
  readonly version: string;
}

/**
 * Further engines, by the names that settings give them. A new one is a folder beside this file and a line here; then run `npm run generate`, which
 * lists it among the engines of the server.
 */
export const furtherEngines: ReadonlyMap<string, FurtherEngine> = new Map([]);

/** Whether an engine is part of the program, and not one of the operator's language models. */
export function isBuiltIn(name: string): boolean {
  return name === localEngine || furtherEngines.has(name);
}
