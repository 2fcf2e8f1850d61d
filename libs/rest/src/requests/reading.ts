import type { JsonNode } from "./json-text.ts";
import { maxViolations, type Violation } from "./violation.ts";

/** The context of reading a body. */
export interface ReadingContext {
  readonly violations: Violation[];
  /** Whether the request is a PATCH, in which null clears a nullable field and is refused for others. Elsewhere, null counts as absent. */
  readonly patch: boolean;
  /** How deeply the messages at the place that is read are nested, counting the request itself. */
  depth: number;
}

/** Creates the context of reading a body that is the request itself or one of its fields, at a depth of 1, or else deeper. */
export function createReadingContext(patch: boolean, depth = 1): ReadingContext {
  return { violations: [], patch, depth };
}

/** The maximum depth of nested messages: implementations of protobuf refuse to decode more. */
const maxMessages = 100;

/** Reads a JSON value. Returns undefined, and adds a violation, if it is invalid. */
export type NodeReader = (node: JsonNode, path: string, context: ReadingContext) => unknown;

/** Adds a violation, up to a maximum number. */
export function addViolation(context: ReadingContext, field: string, message: string): undefined {
  if (context.violations.length < maxViolations) context.violations.push({ field, message });
}

/** Refuses a value whose messages would be nested too deeply, given their depth from this place on. */
export function isTooDeep(context: ReadingContext, path: string, messages: number): boolean {
  if (context.depth + messages <= maxMessages) return false;
  addViolation(context, path, "is nested too deeply");
  return true;
}

/** Makes a reader of the value of a message count as one level of nested messages. */
export function inside(read: NodeReader): NodeReader {
  return (node, path, context) => {
    if (isTooDeep(context, path, 1)) return undefined;
    context.depth += 1;
    const value = read(node, path, context);
    context.depth -= 1;
    return value;
  };
}

/** Whether a node is a JSON object. */
export function isObject(node: JsonNode): node is ReadonlyMap<string, JsonNode> {
  return node instanceof Map;
}
