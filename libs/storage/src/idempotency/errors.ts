import { Code } from "@connectrpc/connect";
import { conflict, problem } from "@switchyard/rpc";

const field = "Idempotency-Key";

/** Another request with the same key is being worked on: 409; the same one may be sent again later. */
export function keyInUse(): Error {
  const message = "A request with this key is being worked on. Send it again to get its answer.";
  return problem(Code.Aborted, "IDEMPOTENCY_KEY_IN_USE", message, { violations: [{ field, message }] });
}

/** The key belongs to a request that said something else: 422. */
export function keyReused(): Error {
  const message = "This key was used for another request.";
  return problem(Code.FailedPrecondition, "IDEMPOTENCY_KEY_REUSED", message, { violations: [{ field, message }] });
}

/** The request was made, and its answer had a secret, which is told once and not kept: 409. */
export function secretAlreadyIssued(): Error {
  return conflict("SECRET_ALREADY_ISSUED", "The request with this key was answered, and its secret is told only once.");
}
