import { createContextKey, createContextValues } from "@connectrpc/connect";
import type { ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Caller } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { unauthenticated } from "@switchyard/rpc";

/** Who makes a call: the service that acts, and the caller it acts for; undefined when it acts for itself. */
export interface Identity {
  readonly service: string;
  readonly caller: Caller | undefined;
}

/** Where the identity of a call lives among its context values, on both sides of a call. */
export const identityKey: ContextKey<Identity | undefined> = createContextKey<Identity | undefined>(undefined, {
  description: "switchyard identity",
});

/** Context values with this identity: the values given, else new ones. */
export function withIdentity(identity: Identity, values: ContextValues = createContextValues()): ContextValues {
  return values.set(identityKey, identity);
}

/** The caller whom the current call serves. Throws Unauthenticated when a service acts for itself. */
export function getCaller(context: Pick<HandlerContext, "values">): Caller {
  const caller = context.values.get(identityKey)?.caller;
  if (caller === undefined) throw unauthenticated("CALLER_MISSING", "This method needs a caller.");
  return caller;
}
