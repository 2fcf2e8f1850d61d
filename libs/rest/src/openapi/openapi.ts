import { ScalarType, type DescField, type DescService } from "@bufbuild/protobuf";
import { findField } from "../field-names.ts";
import { toRestName } from "../field-paths.ts";
import { createRequestBody } from "./bodies.ts";
import { getComment, getFieldComment, getSummary } from "./comments.ts";
import { conditionParameters, getConditions, idempotencyKey, responseHeaders, takesIdempotencyKey } from "./headers.ts";
import { permissionTitle } from "./permissions.ts";
import { errorResponses, createErrorResponses, problemSchema } from "./responses.ts";
import { isRequired } from "../field-rules.ts";
import type { Schema } from "./schema.ts";
import { createSchemas, type Schemas } from "./schemas.ts";
import { httpBodyType, restPath, createRoutes, type Route } from "../routing/routes.ts";
import { listParameters } from "../requests/query.ts";
import { getQueryFields } from "../requests/request.ts";
import { filenameParameter } from "../requests/upload.ts";

/** An example of an operation as JSON. A request or response without JSON is undefined. */
export interface OperationExample {
  readonly request?: unknown;
  readonly response?: unknown;
}

/** The description of the server in the document. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  /** The examples by `operationId`. */
  readonly examples?: Readonly<Record<string, OperationExample>>;
}

/**
 * Creates the OpenAPI 3.1 document of services from their contracts: all endpoints with their parameters, bodies and responses by their
 * REST names, required and nullable fields, bounds, errors, and the bearer token. Descriptions are the comments of the contracts. Removed
 * endpoints are listed in the description of the document.
 */
export function createOpenApi(services: readonly DescService[], info: OpenApiInfo): Record<string, unknown> {
  const schemas = createSchemas();
  const paths: Record<string, Record<string, unknown>> = {};
  const seen = new Map<string, number>();
  const routes = createRoutes(services);
  for (const route of routes.filter(({ removed, httpMethod }) => removed === undefined && httpMethod !== "*")) {
    const binding = (seen.get(route.method.toString()) ?? 0) + 1;
    seen.set(route.method.toString(), binding);
    const id = `${route.service.name}_${route.method.name}${binding === 1 ? "" : `_${binding}`}`;
    const example = info.examples?.[id] ?? {};
    (paths[restPath(route)] ??= {})[route.httpMethod.toLowerCase()] = createOperation(route, id, schemas, example);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: info.title,
      version: info.version,
      description: introduction(routes),
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/", description: "The server that serves this description." }],
    security: [{ bearer: [] }],
    tags: services.map((service) => ({ name: service.name, ...describe(getComment(service)) })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "An access token, as issued by `POST /api/v1/tokens`." },
      },
      parameters: { IdempotencyKey: idempotencyKey, ...conditionParameters },
      headers: responseHeaders,
      responses: errorResponses(),
      schemas: { ...schemas.all(), Problem: problemSchema },
    },
  };
}

function introduction(routes: readonly Route[]): string {
  const removed = routes.flatMap((route) => {
    if (route.removed === undefined) return [];
    const replacements = route.removed.replacements.map((path) => `\`${path}\``).join(" and ");
    return `- \`${route.httpMethod} ${restPath(route)}\`: ${route.removed.reason} Use ${replacements}.`;
  });
  return [
    "Switchyard routes documents to the extraction model that they belong to, extracts their values, and measures how accurate " +
      "the extraction is.",
    "Every request requires a bearer token. Errors are problem details (RFC 9457) with a stable `code`.",
    "Every `GET` can also be sent as `HEAD`, and `OPTIONS` returns the methods of a path in `Allow`. Responses above 1 KiB are " +
      "compressed with `br`, `zstd` or `gzip` if `Accept-Encoding` allows it, except for files and streams.",
    "A token may make a number of requests per minute, which every response reports in `RateLimit-Policy`, with the requests that " +
      "are left in `RateLimit`. Further requests fail with 429 until `Retry-After`.",
    'For historical reasons, the API calls a model a "deployment": `deploymentId` is the ID of a model, and `targetDeploymentId` ' +
      "is the ID of a deployment of that model.",
    ...(removed.length === 0
      ? []
      : [`The following endpoints were removed and respond with status 410:\n\n${removed.join("\n")}`]),
  ].join("\n\n");
}

function createOperation(route: Route, operationId: string, schemas: Schemas, example: OperationExample): unknown {
  const { method } = route;
  const description = [getComment(method), permissionTitle(route.permission)]
    .filter((text) => text !== "")
    .join("\n\n");
  return {
    operationId,
    tags: [method.parent.name],
    summary: getSummary(method),
    ...describe(description),
    parameters: [...pathParameters(route, schemas), ...queryParameters(route, schemas), ...headerParameters(route)],
    ...createRequestBody(route, schemas, example.request),
    responses: {
      [String(route.successStatus)]: createSuccess(route, schemas, example.response),
      ...createConditionalResponses(route),
      ...createErrorResponses(route),
    },
  };
}

function pathParameters(route: Route, schemas: Schemas): unknown[] {
  return [...route.variables.values()].flatMap((path) => {
    const field = path.at(-1);
    if (field === undefined) return [];
    const schema = { ...schemas.parameter(field), ...(isText(field) ? { minLength: 1 } : {}) };
    return [{ name: toRestName(path), in: "path", required: true, schema, ...describe(getFieldComment(field)) }];
  });
}

function isText(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
}

function queryParameters(route: Route, schemas: Schemas): unknown[] {
  if (route.body === "message") {
    if (route.upload?.raw !== true) return [];
    const description = "The name of the file. Required if the body is the file itself, and not allowed with a form.";
    return [{ name: filenameParameter, in: "query", required: false, schema: { type: "string" }, description }];
  }
  return listParameters(getQueryFields(route), route.bound).flatMap((path) => {
    const field = path.at(-1);
    if (field === undefined) return [];
    const name = toRestName(path);
    const required = path.length === 1 && isRequired(field);
    return [{ name, in: "query", required, schema: schemas.parameter(field), ...describe(getFieldComment(field)) }];
  });
}

function headerParameters(route: Route): unknown[] {
  const names = [...(takesIdempotencyKey(route) ? ["IdempotencyKey"] : []), ...getConditions(route)];
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const successes: ReadonlyMap<number, string> = new Map([
  [201, "The resource was created."],
  [204, "The request succeeded. The response has no body."],
]);

function header(name: keyof typeof responseHeaders): Schema {
  return { $ref: `#/components/headers/${name}` };
}

/** Creates the responses to conditional requests, and to those for a range of bytes. */
function createConditionalResponses({ entityTag }: Route): Record<string, unknown> {
  if (entityTag === undefined) return {};
  const headers = { "X-Request-Id": header("RequestId"), ETag: header("ETag") };
  const unchanged = { description: "The client already has the current version. The response has no body.", headers };
  if (entityTag === "weak") return { 304: unchanged };
  const ofPart = { ...headers, "Accept-Ranges": header("AcceptRanges"), "Content-Range": header("ContentRange") };
  return { 206: { description: "The requested range of bytes.", headers: ofPart, ...binaryContent }, 304: unchanged };
}

const binaryContent = { content: { "*/*": { schema: { type: "string", format: "binary" } } } };

function createSuccess(route: Route, schemas: Schemas, example: unknown): Record<string, unknown> {
  const { method, responseBody } = route;
  const paged = responseBody !== undefined && findField(method.output, "next_page_token") !== undefined;
  return {
    description: successes.get(route.successStatus) ?? "The request succeeded.",
    headers: {
      "X-Request-Id": header("RequestId"),
      ...(route.location === undefined ? {} : { Location: header("Location") }),
      ...(paged ? { Link: header("Link") } : {}),
      ...(route.entityTag === undefined ? {} : { ETag: header("ETag") }),
      ...(route.entityTag === "strong" ? { "Accept-Ranges": header("AcceptRanges") } : {}),
      ...(takesIdempotencyKey(route) ? { "Idempotency-Replayed": header("IdempotencyReplayed") } : {}),
    },
    ...createContent(route, schemas, example),
  };
}

function createContent(route: Route, schemas: Schemas, example: unknown): { content?: unknown } {
  const { method, responseBody } = route;
  if (method.output.typeName === httpBodyType) return binaryContent;
  if (route.successStatus === 204) return {};
  const schema =
    responseBody === undefined ? schemas.message(method.output, "response") : schemas.field(responseBody, "response");
  if (route.eventName !== undefined)
    return {
      content: {
        "text/event-stream": { schema: eventSchema(route.eventName, schema) },
        "application/x-ndjson": { schema: lineSchema(schema) },
      },
    };
  return { content: { "application/json": { schema, ...(example === undefined ? {} : { example }) } } };
}

/** Creates the schema of an event of a stream. */
function eventSchema(name: string, message: Schema): Schema {
  const data = {
    type: "string",
    contentMediaType: "application/json",
    contentSchema: message,
    description: "The message, as JSON.",
  };
  const event = { type: "string", const: name, description: "The name of the event." };
  return { type: "object", required: ["event", "data"], properties: { event, data } };
}

/** Creates the schema of a line of a stream: a message, or the problem that ends the stream. Lines can be empty. */
function lineSchema(message: Schema): Schema {
  const problem = { $ref: "#/components/schemas/Problem" };
  return {
    description:
      "One JSON value in each line. Empty lines keep the connection open; a line with a `problem` is the last one.",
    anyOf: [message, { type: "object", required: ["problem"], properties: { problem } }],
  };
}

function describe(description: string): { description?: string } {
  return description === "" ? {} : { description };
}
