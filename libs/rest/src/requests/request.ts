import { create, type DescField, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { acceptsNull, createBodyReaders, isPlainMessage, type BodyReaders } from "./body.ts";
import { createReadingContext, isObject } from "./reading.ts";
import { setField } from "../field-names.ts";
import { pathsWithin, setAtPath, toRestName } from "../field-paths.ts";
import { parseJson, type JsonNode } from "./json-text.ts";
import { createTextFieldsReader, splitQuery } from "./query.ts";
import type { Route } from "../routing/routes.ts";
import { createTextReader } from "./text-values.ts";
import type { Outcome, Violation } from "./violation.ts";

/** The parts of an HTTP request that form a message. */
export interface RequestParts {
  readonly variables: ReadonlyMap<string, string>;
  /** The query without its question mark; "" if there is none. */
  readonly query: string;
  /** The bytes of the JSON body; empty if there is none. */
  readonly body: Uint8Array;
}

/** Creates the request message of a route. Never throws; errors are returned as violations. */
export type RequestReader = (parts: RequestParts) => Outcome<Message>;

/** Whether a field is the update mask, which a PATCH fills from the keys of its body. */
export function isUpdateMask(route: Route, field: DescField): boolean {
  return (
    route.httpMethod === "PATCH" &&
    field.fieldKind === "message" &&
    field.message.typeName === FieldMaskSchema.typeName &&
    field.name === "update_mask"
  );
}

/** Returns the fields of a route's query: those that neither its path nor its body sets. Fields within a message are not considered. */
export function getQueryFields(route: Route): readonly DescField[] {
  if (route.body === "message") return [];
  return route.method.input.fields.filter(
    (field) => !route.bound.has(field.name) && field !== route.body && !isUpdateMask(route, field),
  );
}

/**
 * Compiles the reader of a route's requests: path variables, query parameters and JSON body. If the body is the whole message, there are no
 * query parameters. Path variables and the update mask are never fields of a body. An empty body is `{}`, or an absent field if the body is
 * a field that is not a message.
 */
export function createRequestReader(route: Route, readers: BodyReaders = createBodyReaders()): RequestReader {
  const readVariables = createVariablesReader(route);
  const readParameters = createTextFieldsReader(getQueryFields(route), route.bound);
  const readBody = getBodyReader(route, readers);

  return ({ variables, query, body }) => {
    const message = create(route.method.input);
    // The body first: it replaces the messages that variables and parameters set fields of.
    const bodyViolations = readBody(body, message);
    const violations: Violation[] = [...readVariables(variables, message)];
    const parameters = splitQuery(query);
    const values = parameters.ok ? readParameters(parameters.value) : parameters;
    if (values.ok) for (const [path, value] of values.value) setAtPath(message, path, value);
    else violations.push(...values.violations);
    violations.push(...bodyViolations);
    return violations.length > 0 ? { ok: false, violations } : { ok: true, value: message };
  };
}

/** Compiles the reader of a route's path variables into a message. */
export function createVariablesReader(
  route: Route,
): (variables: ReadonlyMap<string, string>, message: Message) => readonly Violation[] {
  const readers = [...route.variables].map(([name, path]) => ({
    ...{ name, path, field: toRestName(path) },
    read: createTextReader(path.at(-1) as DescField),
  }));
  return (variables, message) => {
    const violations: Violation[] = [];
    for (const { name, path, field, read } of readers) {
      const outcome = read?.(variables.get(name) ?? "");
      if (outcome?.ok === true) setAtPath(message, path, outcome.value);
      else violations.push({ field, message: outcome?.message ?? "has no text form" });
    }
    return violations;
  };
}

type BodyReader = (body: Uint8Array, message: Message) => readonly Violation[];

function getBodyReader(route: Route, readers: BodyReaders): BodyReader {
  if (route.body === undefined)
    return (body) =>
      body.length === 0 ? [] : [{ field: "body", message: "must be empty: this method takes no body" }];
  if (route.body !== "message" && !isPlainMessage(route.body)) return valueReader(route, route.body, readers);

  const mask = route.method.input.fields.find((field) => isUpdateMask(route, field));
  const field = route.body === "message" ? undefined : route.body;
  const descriptor = field?.message ?? route.method.input;
  const excluded =
    field === undefined
      ? new Set([...route.bound, ...(mask === undefined ? [] : [mask.name])])
      : pathsWithin(route.bound, field.name);
  const read = readers.message(descriptor, excluded);

  return (body, message) => {
    const parsed = parseBody(body);
    if (!parsed.ok) return parsed.violations;
    const node = parsed.value === undefined ? new Map<string, JsonNode>() : parsed.value;
    if (!isObject(node)) return [{ field: "body", message: "must be a JSON object" }];
    const context = createReadingContext(route.httpMethod === "PATCH", field === undefined ? 1 : 2);
    const paths: string[] = [];
    const target = field === undefined ? message : create(descriptor);
    read(node, "", context, target, (given) => paths.push(given.name));
    if (field !== undefined) setField(message, field, target);
    if (mask !== undefined) setField(message, mask, create(FieldMaskSchema, { paths }));
    return context.violations;
  };
}

/** Creates the reader of a body that is a scalar, a list, a map, or a message whose JSON is not an object of its fields. */
function valueReader(route: Route, field: DescField, readers: BodyReaders): BodyReader {
  const read = readers.field(field);
  return (body, message) => {
    const parsed = parseBody(body);
    if (!parsed.ok) return parsed.violations;
    const node = parsed.value;
    if (node === undefined || (node === null && !acceptsNull(field))) return [];
    const context = createReadingContext(route.httpMethod === "PATCH");
    const value = read(node, "body", context);
    if (value !== undefined) setField(message, field, value);
    return context.violations;
  };
}

/** Parses a body. An empty one is undefined. */
function parseBody(body: Uint8Array): Outcome<JsonNode | undefined> {
  const text = decodeUtf8(body);
  if (text === undefined) return { ok: false, violations: [{ field: "body", message: "is not valid UTF-8" }] };
  return text === "" ? { ok: true, value: undefined } : parseJson(text);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
