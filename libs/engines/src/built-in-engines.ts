import { classificationEngines } from "./gen/classification-engines.ts";
import { extractionEngines } from "./gen/extraction-engines.ts";

/** The engine that is always available. */
const localEngineName = "local";

/** Returns the names of the engines that extract documents and are part of the program, the local one first. */
export function listExtractionEngines(): readonly string[] {
  return [localEngineName, ...extractionEngines];
}

/** Returns the names of the engines that are part of the program, the local one first. */
export function listBuiltInEngines(): readonly string[] {
  return [...new Set([...listExtractionEngines(), ...classificationEngines])];
}
