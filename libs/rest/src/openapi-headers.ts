import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { Route } from "./routes.ts";

/** As `takesIdempotencyKey` of @switchyard/rpc, which services go by. */
export function takesIdempotencyKey({ httpMethod, method, removed }: Route): boolean {
  const changes = method.idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  return httpMethod === "POST" && changes && removed === undefined;
}

/** The parameter that makes a POST repeatable. */
export const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -+\\--~]+$" },
  description:
    "Identifies the request, so that it can be sent again. For 24 hours, the same request with the same key and token gets the " +
    "first answer again, and nothing is done twice. Another request with the same key is refused with 422, and a repetition " +
    "while the first request is still being answered with 409.",
};

/** Headers of answers that several operations have. */
export const answerHeaders = {
  RequestId: {
    description: "Identifies the request in the server's log. A client may choose it by sending this header.",
    schema: { type: "string" },
  },
  IdempotencyReplayed: {
    description: "Present when the answer is that of an earlier request with the same `Idempotency-Key`.",
    schema: { type: "string", const: "true" },
  },
  Location: { description: "The path of what was created.", schema: { type: "string" } },
  Link: {
    description: 'The next page, with `rel="next"`. Absent on the last page.',
    schema: { type: "string" },
  },
};
