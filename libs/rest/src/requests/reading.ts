import type { JsonNode } from "./json-text.ts";
import { maxViolations, type Violation } from "./violation.ts";

/** What goes along while one body is read. */
export interface ReadingContext {
  readonly violations: Violation[];
  /** In a PATCH, null clears a nullable field and is refused for others; elsewhere null counts as absent. */
  readonly patch: boolean;
}

/** Reads a JSON value; undefined (with a violation) when it does not fit. */
export type NodeReader = (node: JsonNode, path: string, context: ReadingContext) => unknown;

/** Adds a violation, unless there are very many already. */
export function add(context: ReadingContext, field: string, message: string): undefined {
  if (context.violations.length < maxViolations) context.violations.push({ field, message });
}

/** True for a JSON object. */
export function isObject(node: JsonNode): node is ReadonlyMap<string, JsonNode> {
  return node instanceof Map;
}
