import type { Route } from "../routing/routes.ts";

/** Whether an operation takes an idempotency key, like `takesIdempotencyKey` of @switchyard/rpc, which services use. */
export function takesIdempotencyKey({ httpMethod, removed }: Route): boolean {
  return httpMethod === "POST" && removed === undefined;
}

/** The header parameter that makes a POST request safe to retry. */
export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -+\\--~]+$" },
  description:
    "A key chosen by the client that makes the request safe to retry. For 24 hours, repeating the request with the same key and token " +
    "returns the first response again without repeating its effect. A different request with the same key fails with status 422, " +
    "and a repetition while the first request is still in progress fails with status 409.",
};

const text = { type: "string" };

/** The header parameters of conditional requests, and of requests for a range of bytes. */
export const conditionParameters = {
  IfMatch: {
    name: "If-Match",
    in: "header",
    required: false,
    schema: text,
    description:
      "Entity tags of versions of the resource, as `GET` on this path returns them, or `*` for any. If none of them is current, the " +
      "response is 412, and nothing is changed. To change the resource, the token also needs the permission to read it.",
  },
  IfNoneMatch: {
    name: "If-None-Match",
    in: "header",
    required: false,
    schema: text,
    description:
      "Entity tags of versions that the client has, or `*` for any. If one of them is current, the response to `GET` is 304 without a " +
      "body. Other methods are refused with 412.",
  },
  Range: {
    name: "Range",
    in: "header",
    required: false,
    schema: text,
    description:
      "One range of bytes, such as `bytes=0-1023`. Several ranges, and malformed ones, are ignored: the response is the whole file.",
  },
  IfRange: {
    name: "If-Range",
    in: "header",
    required: false,
    schema: text,
    description:
      "The entity tag of the version that the range is for. If it is not current, the response is the whole file.",
  },
};

/** Returns whether an operation takes preconditions: its path has a resource with an entity tag. */
export function takesPreconditions({ entityTag, read }: Route): boolean {
  return (entityTag ?? read) !== undefined;
}

/** Returns the names of the conditions that an operation takes. */
export function getConditions(route: Route): readonly (keyof typeof conditionParameters)[] {
  if (!takesPreconditions(route)) return [];
  return ["IfMatch", "IfNoneMatch", ...(route.entityTag === "strong" ? (["Range", "IfRange"] as const) : [])];
}

/** Response headers that several operations share. */
export const responseHeaders = {
  RequestId: {
    description:
      "The ID of the request, which is also in the server's log. Clients can choose it by sending this header.",
    schema: { type: "string" },
  },
  IdempotencyReplayed: {
    description: "Present if this is the response to an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" },
  },
  ETag: {
    description: "The entity tag of this version: strong for the bytes of files, and weak for other resources.",
    schema: text,
  },
  AcceptRanges: {
    description: "The unit of ranges that can be requested.",
    schema: { type: "string", const: "bytes" },
  },
  RateLimit: {
    description: "The requests that the token has left in this minute, and the seconds until it ends.",
    schema: { type: "string", example: '"token";r=599;t=42' },
  },
  RateLimitPolicy: {
    description: "How many requests a token may make in a minute.",
    schema: { type: "string", example: '"token";q=600;w=60' },
  },
  ContentRange: { description: "The range and the size of the file, as `bytes FIRST-LAST/SIZE`.", schema: text },
  Location: { description: "The path of the created resource.", schema: { type: "string" } },
  Link: {
    description: 'The next page, with `rel="next"`. Absent on the last page.',
    schema: { type: "string" },
  },
};
