import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as IdempotencyLevel } from "@bufbuild/protobuf/wkt";

/** Returns whether the contract declares the method idempotent, so that its calls can be retried. */
export function isIdempotent(method: DescMethod): boolean {
  return method.idempotency !== IdempotencyLevel.IDEMPOTENCY_UNKNOWN;
}
