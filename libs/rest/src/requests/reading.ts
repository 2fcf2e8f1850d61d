import type { JsonNode } from "./json-text.ts";
import { maxViolations, type Violation } from "./violation.ts";

/** The context of reading a body. */
export interface ReadingContext {
  readonly violations: Violation[];
  /** Whether the request is a PATCH, in which null clears a nullable field and is refused for others. Elsewhere, null counts as absent. */
  readonly patch: boolean;
}

/** Reads a JSON value. Returns undefined, and adds a violation, if it is invalid. */
export type NodeReader = (node: JsonNode, path: string, context: ReadingContext) => unknown;

/** Adds a violation, up to a maximum number. */
export function addViolation(context: ReadingContext, field: string, message: string): undefined {
  if (context.violations.length < maxViolations) context.violations.push({ field, message });
}

/** Whether a node is a JSON object. */
export function isObject(node: JsonNode): node is ReadonlyMap<string, JsonNode> {
  return node instanceof Map;
}
