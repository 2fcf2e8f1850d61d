import type { CallOptions, HandlerContext } from "@connectrpc/connect";

/**
 * Returns the options of a call that a handler makes on behalf of the current call. The new call is cancelled with the current one, has its
 * remaining time as the deadline, and its context values (request ID, identity).
 */
export function callOptions(context: HandlerContext): CallOptions {
  const remaining = context.timeoutMs();
  return {
    signal: context.signal,
    contextValues: context.values,
    // A timeout of zero or less would mean no deadline, but a deadline that has passed must apply.
    ...(remaining === undefined ? {} : { timeoutMs: Math.max(1, remaining) }),
  };
}
