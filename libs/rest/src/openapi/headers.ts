import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Route } from "../routing/routes.ts";

/** Whether an operation takes an idempotency key, like `takesIdempotencyKey` of @switchyard/rpc, which services use. */
export function takesIdempotencyKey({ httpMethod, method, removed }: Route): boolean {
  const changes = method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return httpMethod === "POST" && changes && removed === undefined;
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
  Location: { description: "The path of the created resource.", schema: { type: "string" } },
  Link: {
    description: 'The next page, with `rel="next"`. Absent on the last page.',
    schema: { type: "string" },
  },
};
