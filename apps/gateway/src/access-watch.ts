import type { ContextValues } from "@connectrpc/connect";
import { Code, createContextKey } from "@connectrpc/connect";
import { identityKey, type TokenVerifier } from "@switchyard/access";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { getProblemFacts, forbidden } from "@switchyard/rpc";
import { authorizationKey } from "./token-admission.ts";

/** Aborted when the caller of an open stream lost access, with the error to end it with as its reason. */
export const accessLostKey = createContextKey<AbortSignal | undefined>(undefined, {
  description: "aborted when the caller lost access",
});

/** A watch over one open stream. */
export interface AccessWatch {
  readonly signal: AbortSignal;
  stop(): void;
}

/** With the second for which a verifier remembers a caller, what is taken away ends streams well within 2 s. */
const pollIntervalMs = 300;

/**
 * Looks again and again at the caller of an open stream until `stop`. When the token is gone, or lost a project or a permission,
 * whichever it is, the signal is aborted: Unauthenticated or PermissionDenied. While callers cannot be looked up, streams stay open.
 */
export function watchAccess(verifier: Pick<TokenVerifier, "verify">, values: ContextValues): AccessWatch {
  const controller = new AbortController();
  const caller = values.get(identityKey)?.caller;
  const authorization = values.get(authorizationKey);
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    try {
      const now = await verifier.verify(authorization);
      if (caller !== undefined && lost(caller, now)) {
        controller.abort(forbidden("ACCESS_LOST", "The token lost access while the call was under way."));
      }
    } catch (error) {
      if (getProblemFacts(error).code === Code.Unauthenticated) controller.abort(error);
    }
    if (!controller.signal.aborted && timer !== undefined) schedule();
  }

  function schedule(): void {
    timer = setTimeout(() => void look(), pollIntervalMs);
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

function lost(before: Caller, now: Caller): boolean {
  return (
    before.projectIds.some((id) => !now.projectIds.includes(id)) ||
    before.permissions.some((permission) => !now.permissions.includes(permission))
  );
}
