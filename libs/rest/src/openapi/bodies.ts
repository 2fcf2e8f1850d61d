import type { DescField } from "@bufbuild/protobuf";
import { getAlternatives } from "../field-rules.ts";
import type { Schema } from "./schema.ts";
import type { Schemas } from "./schemas.ts";
import { isPlainMessage } from "../requests/body.ts";
import { isUpdateMask } from "../requests/request.ts";
import type { Route } from "../routing/routes.ts";
import { createTextReader } from "../requests/text-values.ts";
import { filePart, streamedFileFields } from "../requests/upload.ts";

/** Creates the request body of an operation by content type. `example` is JSON. Empty for an operation without a body. */
export function createRequestBody(route: Route, schemas: Schemas, example: unknown): Record<string, unknown> {
  if (route.body === undefined) return {};
  const content: Record<string, unknown> = {};
  const fields = getBodyFields(route);
  let required = route.upload !== undefined;
  if (route.method.methodKind !== "client_streaming") {
    const schema = createJsonSchema(route, fields, schemas);
    required ||= schema["required"] !== undefined;
    content["application/json"] = { schema, ...(example === undefined ? {} : { example }) };
  }
  if (route.upload !== undefined) {
    content["multipart/form-data"] = { schema: createFormSchema(route, fields, schemas) };
    if (route.upload.raw) content["*/*"] = { schema: { type: "string", format: "binary", minLength: 1 } };
  }
  return { requestBody: { required, content } };
}

function getBodyFields(route: Route): readonly DescField[] {
  if (route.body !== "message") {
    const { name = "", message } = route.body ?? {};
    return message?.fields.filter((field) => !route.bound.has(`${name}.${field.name}`)) ?? [];
  }
  return route.method.input.fields.filter((field) => !route.bound.has(field.name) && !isUpdateMask(route, field));
}

function createJsonSchema(route: Route, fields: readonly DescField[], schemas: Schemas): Schema {
  const { body } = route;
  if (body !== "message" && body !== undefined && !isPlainMessage(body)) return schemas.field(body, "request");
  const schema = schemas.object(fields, route.httpMethod === "PATCH" ? "change" : "request");
  const alternatives = getAlternatives(route.method.input);
  if (alternatives.length === 0) return schema;
  return {
    ...schema,
    oneOf: alternatives.map(({ jsonName }) => ({
      required: [jsonName],
      properties: { [jsonName]: { not: { type: "null" } } },
    })),
  };
}

/** Creates the schema of a form: the file, and the fields that have a text form and do not exclude it. */
function createFormSchema(route: Route, fields: readonly DescField[], schemas: Schemas): Schema {
  const excluded = new Set<DescField>(getAlternatives(route.method.input));
  const named = route.method.methodKind === "client_streaming" ? streamedFileFields : new Set<string>();
  const parts = fields.filter(
    (part) =>
      part !== route.upload?.field &&
      !excluded.has(part) &&
      !named.has(part.name) &&
      createTextReader(part) !== undefined,
  );
  const form = schemas.object(parts, "request");
  // A form cannot contain null.
  const texts = Object.entries(form["properties"] as Record<string, Schema>).map(([name, { type, ...rest }]) => {
    const types = (Array.isArray(type) ? type : [type]) as readonly unknown[];
    return [name, { type: types[0], ...rest }] as const;
  });
  const file = {
    type: "string",
    format: "binary",
    minLength: 1,
    description: "The file. The part must have a file name.",
  };
  return { ...form, required: [filePart], properties: { [filePart]: file, ...Object.fromEntries(texts) } };
}
