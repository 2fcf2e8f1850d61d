import { getOption, hasOption } from "@bufbuild/protobuf";
import type { DescMethod } from "@bufbuild/protobuf";
import { http } from "@switchyard/contracts/google/api/annotations";
import { removed } from "@switchyard/contracts/switchyard/annotations/v1/annotations";

/** The request header with the idempotency key. */
export const idempotencyKeyHeader = "idempotency-key";

/** The response header of a replayed response, with the value "true". */
export const replayedHeader = "idempotency-replayed";

/** Whether a text is a valid key: 1 to 255 printable ASCII characters without commas, because several headers are joined with commas. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x20-\x2b\x2d-\x7e]{1,255}$/.test(text);
}

/** Whether a method takes a key. By its contract, this is every method that is a POST in REST. */
export function takesIdempotencyKey(method: DescMethod): boolean {
  if (!hasOption(method, http) || hasOption(method, removed)) return false;
  return getOption(method, http).pattern.case === "post";
}
