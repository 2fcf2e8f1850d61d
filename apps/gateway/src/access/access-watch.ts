import type { ContextValues } from "@connectrpc/connect";
import { Code, createContextKey } from "@connectrpc/connect";
import { identityKey, type TokenVerifier } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, forbidden } from "@switchyard/rpc";
import { authorizationKey } from "./token-admission.ts";

/** The signal that is aborted when the caller of an open stream loses access. Its reason is the error that ends the stream. */
export const accessLostKey = createContextKey<AbortSignal | undefined>(undefined, {
  description: "aborted when the caller lost access",
});

/** The time for a client that lost access to read the error before its connection is closed, in milliseconds. */
export const accessLostGraceMs = 300;

/** Watches the access of the caller of one open stream. */
export interface AccessWatch {
  readonly signal: AbortSignal;
  stop(): void;
}

/** Together with the one-second cache of the verifier, revoked access ends streams well within 2 s. */
const pollIntervalMs = 300;

/**
 * Looks up the caller of an open stream periodically until `stop` is called. Aborts the signal with Unauthenticated when the token was
 * revoked, and with PermissionDenied when it lost a project or a permission. While callers cannot be looked up, streams stay open.
 */
export function watchAccess(verifier: Pick<TokenVerifier, "verify">, values: ContextValues): AccessWatch {
  const controller = new AbortController();
  const caller = values.get(identityKey)?.caller;
  const authorization = values.get(authorizationKey);
  let timer: NodeJS.Timeout | undefined;

  async function poll(): Promise<void> {
    try {
      const now = await verifier.verify(authorization);
      if (caller !== undefined && hasLostAccess(caller, now)) {
        controller.abort(forbidden("ACCESS_LOST", "The token lost access during the call."));
      }
    } catch (error) {
      if (getProblemFacts(error).code === Code.Unauthenticated) controller.abort(error);
    }
    if (!controller.signal.aborted && timer !== undefined) schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => void poll(), pollIntervalMs);
    timer.unref();
  }

  schedule();
  values.set(accessLostKey, controller.signal);
  return {
    signal: controller.signal,
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

function hasLostAccess(before: Caller, now: Caller): boolean {
  return (
    before.projectIds.some((id) => !now.projectIds.includes(id)) ||
    before.permissions.some((permission) => !now.permissions.includes(permission))
  );
}
