import { createContextKey, createContextValues } from "@connectrpc/connect";
import type { ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { unauthenticated } from "@switchyard/rpc";

/** The identity of a call: the calling service, and the caller that it serves. `caller` is undefined if the service acts for itself. */
export interface Identity {
  readonly service: string;
  readonly caller: Caller | undefined;
}

/** The context key of a call's identity, on both sides of the call. */
export const identityKey: ContextKey<Identity | undefined> = createContextKey<Identity | undefined>(undefined, {
  description: "switchyard identity",
});

/** Makes a caller read-only, so that calls can share it. */
export function freezeCaller(caller: Caller): Caller {
  Object.freeze(caller.projectIds);
  Object.freeze(caller.permissions);
  return Object.freeze(caller);
}

/** Adds an identity to context values, or to new ones. */
export function withIdentity(identity: Identity, values: ContextValues = createContextValues()): ContextValues {
  return values.set(identityKey, identity);
}

/** Returns the caller that the current call serves. Throws Unauthenticated if a service acts for itself. */
export function getCaller(context: Pick<HandlerContext, "values">): Caller {
  const caller = context.values.get(identityKey)?.caller;
  if (caller === undefined) throw unauthenticated("CALLER_MISSING", "This method requires a token.");
  return caller;
}
