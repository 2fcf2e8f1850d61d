import type { DescField } from "@bufbuild/protobuf";
import { takesIdempotencyKey, takesPreconditions } from "./headers.ts";
import { isRequired } from "../field-rules.ts";
import type { Schema } from "./schema.ts";
import { problemContentType, getTitle } from "../responses/problem.ts";
import type { Route } from "../routing/routes.ts";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";

/** The descriptions of error statuses. */
const reasons: ReadonlyMap<number, string> = new Map([
  [400, "The request is invalid. `errors` lists the fields that are invalid."],
  [401, "The bearer token is missing, unknown, expired or revoked."],
  [403, "The token lacks a permission, or has no access to a project."],
  [404, "A resource that the request names does not exist, or belongs to another organization."],
  [406, "The `Accept` or `Accept-Encoding` header excludes everything that the endpoint returns."],
  [409, "The request conflicts with the current state. `code` identifies the conflict."],
  [412, "The resource is not the version that `If-Match` or `If-None-Match` asks for. Nothing was changed."],
  [413, "The request body, or the file in it, is too large."],
  [415, "The content type or the content encoding of the request is not supported."],
  [416, "The `Range` header selects none of the bytes."],
  [422, "The `Idempotency-Key` was already used for a different request."],
  [429, "The request exceeds a limit. `code` identifies it."],
  [500, "An internal error occurred. The server's log has the details under the `requestId`."],
  [503, "The server is overloaded, or a service that it depends on is unavailable. `Retry-After` says when to retry."],
  [504, "The request timed out."],
]);

/**
 * Returns the statuses of the errors that an endpoint can report, in ascending order. `default` stands for requests that the HTTP server
 * refuses before it knows the endpoint, for example because their headers are too large.
 */
export function getErrorStatuses(route: Route): readonly number[] {
  const { httpMethod, permission } = route;
  const hasVariables = route.template.variables.length > 0;
  // A filter without a match gives an empty list, but the parent of a list must exist.
  const hasReferences = route.method.input.fields.some(
    (field) => isReference(field) && (httpMethod !== "GET" || isRequired(field)),
  );
  const takesKey = takesIdempotencyKey(route);
  return [
    400,
    401,
    ...(permission === Permission.AUTHENTICATED && !hasVariables ? [] : [403]),
    ...(hasVariables || hasReferences ? [404] : []),
    ...(route.successStatus === 204 ? [] : [406]),
    ...(takesKey || route.conflicts.length > 0 ? [409] : []),
    ...(takesPreconditions(route) ? [412] : []),
    ...(route.body === undefined ? [] : [413]),
    // Any request can have an unsupported content encoding.
    415,
    ...(route.entityTag === "strong" ? [416] : []),
    ...(takesKey ? [422] : []),
    429,
    500,
    503,
    504,
  ];
}

/** Returns whether a field contains IDs, or messages that do. */
function isReference(field: DescField): boolean {
  return /_ids?$/.test(field.name) || (field.message?.fields ?? []).some(({ name }) => /_ids?$/.test(name));
}

/** Returns the error responses of an operation, each of which refers to a component. */
export function createErrorResponses(route: Route): Record<string, Schema> {
  const statuses = getErrorStatuses(route).map((status) => [String(status), componentName(status)] as const);
  return Object.fromEntries(
    [...statuses, ["default", refused] as const].map(([status, name]) => [
      status,
      { $ref: `#/components/responses/${name}` },
    ]),
  );
}

/** Returns the responses of errors, as components: each is a problem, with the headers of its status. */
export function errorResponses(): Record<string, Schema> {
  const responses = [...reasons].map(([status, description]) => [
    componentName(status),
    {
      description,
      headers: { "X-Request-Id": requestId, ...(headersByStatus.get(status) ?? {}) },
      ...problemWith(status),
    },
  ]);
  const description =
    "The HTTP server refused the request before it reached the endpoint: 408 for a body that was sent too slowly, 414 for a URI " +
    "that is too long, 417 for an unknown expectation, and 431 for headers that are too large.";
  return Object.fromEntries([...responses, [refused, { description, ...problemWith(414) }]]) as Record<string, Schema>;
}

function problemWith(status: number): Schema {
  return {
    content: {
      [problemContentType]: { schema: { $ref: "#/components/schemas/Problem" }, example: createExample(status) },
    },
  };
}

const refused = "Refused";

/** Returns the name of the component of a status, for example "NotFound" for 404. */
function componentName(status: number): string {
  return getTitle(status).replaceAll(" ", "");
}

const requestId = { $ref: "#/components/headers/RequestId" };
const retryAfter = {
  "Retry-After": {
    description: "The number of seconds after which the request can be retried.",
    schema: { type: "integer", minimum: 0 },
  },
};
const rateLimit = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" },
};
const contentRange = {
  "Content-Range": { description: "The size of the file, as `bytes */SIZE`.", schema: { type: "string" } },
};
const headersByStatus: ReadonlyMap<number, Schema> = new Map<number, Schema>([
  [416, contentRange],
  [401, { "WWW-Authenticate": { description: "The authentication scheme.", schema: { const: "Bearer" } } }],
  [429, { ...retryAfter, ...rateLimit }],
  [503, retryAfter],
]);

const codes: ReadonlyMap<number, readonly [code: string, detail: string]> = new Map([
  [400, ["INVALID_REQUEST", "limit: must be 1 to 500"]],
  [401, ["TOKEN_INVALID", "The token is not valid."]],
  [403, ["MISSING_PERMISSION", "The token lacks the permission models:edit."]],
  [404, ["NOT_FOUND", 'There is no project "prj_nothing".']],
  [406, ["NOT_ACCEPTABLE", "The Accept header excludes what this endpoint sends: application/json."]],
  [409, ["CLASSIFIER_NAME_TAKEN", "Another classifier has this name."]],
  [412, ["PRECONDITION_FAILED", "The resource is not the version that the request is for. Read it again."]],
  [413, ["PAYLOAD_TOO_LARGE", "The body may have at most 1048576 bytes."]],
  [414, ["URI_TOO_LONG", "The request target may have at most 8192 bytes."]],
  [415, ["UNSUPPORTED_MEDIA_TYPE", "The content type must be application/json."]],
  [416, ["RANGE_NOT_SATISFIABLE", "The range selects none of the 2048 bytes."]],
  [422, ["IDEMPOTENCY_KEY_REUSED", "The key was used for another request."]],
  [429, ["RATE_LIMITED", "The token has made its 600 requests for this minute. Try again in 42 s."]],
  [500, ["INTERNAL", "An internal error occurred."]],
  [503, ["STORAGE_UNAVAILABLE", "The database is not available."]],
  [504, ["DEADLINE_EXCEEDED", "The request took too long."]],
]);

function createExample(status: number): Schema {
  const [code, detail] = codes.get(status) ?? ["INTERNAL", ""];
  return {
    type: "about:blank",
    title: getTitle(status),
    status,
    detail,
    instance: "/api/v1/classify",
    code,
    requestId: "5f0c6f0e-3a3c-4b7e-9d51-0f6d3f3a2b1c",
    errors: status === 400 ? [{ field: "limit", message: "must be 1 to 500" }] : [],
  };
}

/** The schema of a problem: the eight members that every problem has. Some have further members, such as `existingRouteId`. */
export const problemSchema: Schema = {
  type: "object",
  description:
    "A description of an error (problem details, RFC 9457). Some errors have further members, such as `existingRouteId`.",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId", "errors"],
  properties: {
    type: { type: "string", description: "Always `about:blank`; `code` identifies the error." },
    title: { type: "string", description: "The reason phrase of the status." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "An explanation of the error for people." },
    instance: { type: "string", description: "The path of the request." },
    code: {
      type: "string",
      pattern: "^[A-Z][A-Z0-9_]*$",
      description: "A stable identifier of the error for programs.",
    },
    requestId: { type: "string", description: "The ID of the request, which is also in the server's log." },
    errors: {
      type: "array",
      description: "The fields that are invalid. Empty if the error does not concern fields.",
      items: {
        type: "object",
        required: ["field", "message"],
        properties: {
          field: { type: "string", description: "The path of the field, such as `routes[0].deploymentId`." },
          message: { type: "string", description: "An explanation of what is wrong with the field." },
        },
      },
    },
  },
  additionalProperties: true,
};
