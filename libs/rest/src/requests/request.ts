import { create, type DescField, type Message } from "@bufbuild/protobuf";
import { FieldMaskSchema } from "@bufbuild/protobuf/wkt";
import { createBodyReaders, type BodyReaders } from "./body.ts";
import { isObject, type ReadingContext } from "./reading.ts";
import { findField, setField } from "../field-names.ts";
import { parseJson } from "./json-text.ts";
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

/**
 * Compiles the reader of a route's requests: path variables, query parameters and JSON body. If the body is the whole message, there are no
 * query parameters. Path variables and the update mask are never fields of a body. An empty body is `{}`.
 */
export function createRequestReader(route: Route, readers: BodyReaders = createBodyReaders()): RequestReader {
  const bound = new Set(route.template.variables.map(({ field }) => field));
  const fields = route.method.input.fields;
  const readVariables = createVariablesReader(route);
  const inQuery =
    route.body === "message" ? [] : fields.filter((field) => !bound.has(field.name) && field !== route.body);
  const readParameters = createTextFieldsReader(inQuery.filter((field) => !isUpdateMask(route, field)));
  const readBody = getBodyReader(route, bound, readers);

  return ({ variables, query, body }) => {
    const message = create(route.method.input);
    const violations: Violation[] = [...readVariables(variables, message)];
    const parameters = splitQuery(query);
    const values = parameters.ok ? readParameters(parameters.value) : parameters;
    if (values.ok) for (const [field, value] of values.value) setField(message, field, value);
    else violations.push(...values.violations);
    violations.push(...readBody(body, message));
    return violations.length > 0 ? { ok: false, violations } : { ok: true, value: message };
  };
}

/** Compiles the reader of a route's path variables into a message. */
export function createVariablesReader(
  route: Route,
): (variables: ReadonlyMap<string, string>, message: Message) => readonly Violation[] {
  const readers = route.template.variables.map(({ field: name }) => {
    const field = findField(route.method.input, name) as DescField;
    return { name, field, read: createTextReader(field) };
  });
  return (variables, message) => {
    const violations: Violation[] = [];
    for (const { name, field, read } of readers) {
      const outcome = read?.(variables.get(name) ?? "");
      if (outcome?.ok === true) setField(message, field, outcome.value);
      else violations.push({ field: field.jsonName, message: outcome?.message ?? "has no text form" });
    }
    return violations;
  };
}

function getBodyReader(
  route: Route,
  bound: ReadonlySet<string>,
  readers: BodyReaders,
): (body: Uint8Array, message: Message) => readonly Violation[] {
  if (route.body === undefined)
    return (body) =>
      body.length === 0 ? [] : [{ field: "body", message: "must be empty: this method takes no body" }];

  const patch = route.httpMethod === "PATCH";
  const mask = route.method.input.fields.find((field) => isUpdateMask(route, field));
  const field = route.body === "message" ? undefined : route.body;
  const descriptor = field?.message ?? route.method.input;
  const read = readers.message(descriptor, (candidate) =>
    field === undefined ? bound.has(candidate.name) || candidate === mask : false,
  );

  return (body, message) => {
    const text = decodeUtf8(body);
    if (text === undefined) return [{ field: "body", message: "is not valid UTF-8" }];
    const parsed = text === "" ? ({ ok: true, value: new Map() } as const) : parseJson(text);
    if (!parsed.ok) return parsed.violations;
    if (!isObject(parsed.value)) return [{ field: "body", message: "must be a JSON object" }];
    const context: ReadingContext = { violations: [], patch };
    const paths: string[] = [];
    const target = field === undefined ? message : create(descriptor);
    read(parsed.value, "", context, target, (given) => paths.push(given.name));
    if (field !== undefined) setField(message, field, target);
    if (mask !== undefined) setField(message, mask, create(FieldMaskSchema, { paths }));
    return context.violations;
  };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
