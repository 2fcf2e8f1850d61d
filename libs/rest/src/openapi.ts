import type { DescService } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { permissionTitle } from "./openapi-permissions.ts";
import { createSchemas, type Schema } from "./openapi-schemas.ts";
import { commentOf } from "./openapi-comments.ts";
import { problemContentType } from "./problem.ts";
import { isUpdateMask } from "./request.ts";
import { fieldNamed } from "./field-names.ts";
import { httpBodyType, restPath, routesOf, type Route } from "./routes.ts";
import { createTextReader } from "./text-values.ts";
import { filenameParameter, filePart, streamedFileFields } from "./upload.ts";

/** What the document says of the server. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
}

/**
 * The OpenAPI 3.1 document of services, from their descriptors: every route with its parameters, bodies and answers by their
 * REST names, what may be null, the shape of errors, and the bearer token. Descriptions come from the contracts' comments
 * where the descriptors carry them.
 */
export function createOpenApi(services: readonly DescService[], info: OpenApiInfo): Record<string, unknown> {
  const schemas = createSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  const seen = new Map<string, number>();
  for (const route of routesOf(services)) {
    const path = restPath(route);
    const bindings = seen.get(route.method.toString()) ?? 0;
    seen.set(route.method.toString(), bindings + 1);
    (paths[path] ??= {})[route.httpMethod.toLowerCase()] = operationOf(route, bindings, schemas);
  }
  return {
    openapi: "3.1.0",
    info: { title: info.title, version: info.version },
    security: [{ bearer: [] }],
    tags: services.map((service) => ({ name: service.name, ...describe(commentOf(service)) })),
    paths,
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer" } },
      parameters: { IdempotencyKey: idempotencyKey },
      responses: {
        Problem: { description: "What went wrong", content: { [problemContentType]: { schema: problem } } },
      },
      schemas: schemas.all(),
    },
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -+\\--~]+$" },
  description:
    "Names the request, so that it can be sent again: for 24 hours the same token and request get the answer of the first, and " +
    "nothing is done again. Another request with the same key is 422, one while the first is being answered 409.",
};

const problem: Schema = {
  type: "object",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId", "errors"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    instance: { type: "string" },
    code: { type: "string", description: "UPPER_SNAKE and stable" },
    requestId: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: { field: { type: "string" }, message: { type: "string" } },
      },
    },
  },
  additionalProperties: true,
};

const replayed = {
  schema: { type: "string", const: "true" },
  description: "There when the answer is that of an earlier request with the same Idempotency-Key",
};

type Schemas = ReturnType<typeof createSchemas>;

function operationOf(route: Route, binding: number, schemas: Schemas): Record<string, unknown> {
  const { method } = route;
  return {
    operationId: `${method.parent.name}_${method.name}${binding === 0 ? "" : `_${binding + 1}`}`,
    tags: [method.parent.name],
    summary: words(method.name),
    ...describe([commentOf(method), permissionTitle(route.permission)].filter((text) => text !== "").join("\n\n")),
    ...(route.removed === undefined ? {} : { deprecated: true }),
    parameters: [...pathParameters(route, schemas), ...queryParameters(route, schemas), ...headerParameters(route)],
    ...requestBodyOf(route, schemas),
    responses: responsesOf(route, schemas),
  };
}

function pathParameters(route: Route, schemas: Schemas): unknown[] {
  return route.template.variables.flatMap(({ field: name }) => {
    const field = fieldNamed(route.method.input, name);
    if (field === undefined) return [];
    return [
      {
        name: field.jsonName,
        in: "path",
        required: true,
        schema: schemas.field(field, "request"),
        ...describe(commentOf(field)),
      },
    ];
  });
}

function queryParameters(route: Route, schemas: Schemas): unknown[] {
  if (route.body === "message" || route.removed !== undefined)
    return route.upload?.raw === true
      ? [
          {
            name: filenameParameter,
            in: "query",
            required: false,
            schema: { type: "string" },
            description: "Of a raw body: the file's name",
          },
        ]
      : [];
  const bound = new Set(route.template.variables.map(({ field }) => field));
  return route.method.input.fields
    .filter((field) => !bound.has(field.name) && field !== route.body && createTextReader(field) !== undefined)
    .map((field) => ({
      name: field.jsonName,
      in: "query",
      required: false,
      schema: schemas.parameter(field),
      ...describe(commentOf(field)),
    }));
}

function headerParameters(route: Route): unknown[] {
  return takesIdempotencyKey(route) ? [{ $ref: "#/components/parameters/IdempotencyKey" }] : [];
}

/** As `takesIdempotencyKey` of @switchyard/rpc, which services go by. */
function takesIdempotencyKey({ httpMethod, method, removed }: Route): boolean {
  const changes = method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return httpMethod === "POST" && changes && removed === undefined;
}

function requestBodyOf(route: Route, schemas: Schemas): Record<string, unknown> {
  if (route.body === undefined) return {};
  const bound = new Set(route.template.variables.map(({ field }) => field));
  const content: Record<string, unknown> = {};
  const fields =
    route.body === "message"
      ? route.method.input.fields.filter((field) => !bound.has(field.name) && !isUpdateMask(route, field))
      : (route.body.message?.fields ?? []);
  if (route.method.methodKind !== "client_streaming")
    content["application/json"] = { schema: schemas.object(fields, "request") };
  if (route.upload !== undefined) {
    const { field, raw } = route.upload;
    const named = route.method.methodKind === "client_streaming" ? streamedFileFields : new Set<string>();
    const parts = fields.filter(
      (part) => part !== field && !named.has(part.name) && createTextReader(part) !== undefined,
    );
    const form = schemas.object(parts, "request");
    content["multipart/form-data"] = {
      schema: {
        ...form,
        required: [filePart],
        properties: { [filePart]: { type: "string", format: "binary" }, ...(form["properties"] as object) },
      },
    };
    if (raw) content["*/*"] = { schema: { type: "string", format: "binary" } };
  }
  return { requestBody: { required: fields.length > 0, content } };
}

function responsesOf(route: Route, schemas: Schemas): Record<string, unknown> {
  const failure = { $ref: "#/components/responses/Problem" };
  if (route.removed !== undefined) return { "410": failure, default: failure };
  const { method } = route;
  const success: Record<string, unknown> = { description: "Success" };
  const headers = {
    ...(route.location === undefined ? {} : { Location: { schema: { type: "string" } } }),
    ...(takesIdempotencyKey(route) ? { "Idempotency-Replayed": replayed } : {}),
  };
  if (Object.keys(headers).length > 0) success["headers"] = headers;
  if (method.output.typeName === httpBodyType)
    success["content"] = { "*/*": { schema: { type: "string", format: "binary" } } };
  else if (route.successStatus !== 204)
    success["content"] = {
      [route.eventName === undefined ? "application/json" : "text/event-stream"]: {
        schema:
          route.responseBody === undefined
            ? schemas.message(method.output, "response")
            : schemas.field(route.responseBody, "response"),
      },
    };
  return { [String(route.successStatus)]: success, default: failure };
}

function words(name: string): string {
  const spaced = name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
  return spaced.charAt(0) + spaced.slice(1).toLowerCase();
}

function describe(description: string): { description?: string } {
  return description === "" ? {} : { description };
}
