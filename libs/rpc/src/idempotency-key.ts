import { getOption, hasOption } from "@bufbuild/protobuf";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { http } from "@switchyard/contracts/google/api/annotations";
import { removed } from "@switchyard/contracts/switchyard/annotations/v1/annotations";

/** The header with which a client names a request that it may have to send again. */
export const idempotencyKeyHeader = "idempotency-key";

/** The header of an answer that was given before: "true". */
export const replayedHeader = "idempotency-replayed";

/** Whether a text may be a key: 1 to 255 printable ASCII characters. No comma: it is how several headers look once they are joined. */
export function isIdempotencyKey(text: string): boolean {
  return /^[\x20-\x2b\x2d-\x7e]{1,255}$/.test(text);
}

/** Whether a method takes a key: every one that is a POST in REST and changes something, by its contract. */
export function takesIdempotencyKey(method: DescMethod): boolean {
  if (method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS) return false;
  if (!hasOption(method, http) || hasOption(method, removed)) return false;
  return getOption(method, http).pattern.case === "post";
}
