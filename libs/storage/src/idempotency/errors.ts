import { Code } from "@connectrpc/connect";
import { conflict, problem } from "@switchyard/rpc";

const field = "Idempotency-Key";

/** Creates the error for a key whose first request is still being processed: 409. The same request may be sent again later. */
export function keyInUse(): Error {
  const message = "A request with this key is still running. Send it again to get its response.";
  return problem(Code.Aborted, "IDEMPOTENCY_KEY_IN_USE", message, { violations: [{ field, message }] });
}

/** Creates the error for a key that belongs to a different request: 422. */
export function keyReused(): Error {
  const message = "This key was used for another request.";
  return problem(Code.FailedPrecondition, "IDEMPOTENCY_KEY_REUSED", message, { violations: [{ field, message }] });
}

/** Creates the error for a repeated request whose response contained a secret, which is not stored: 409. */
export function secretAlreadyIssued(): Error {
  return conflict(
    "SECRET_ALREADY_ISSUED",
    "A request with this key was completed before, and its secret is shown only once.",
  );
}
