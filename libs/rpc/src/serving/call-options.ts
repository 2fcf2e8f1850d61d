import type { CallOptions, HandlerContext } from "@connectrpc/connect";

/**
 * The options for a call that a handler makes on behalf of the call it answers: it ends when that one ends, has what is
 * left of its deadline, and carries its context values (request id, identity).
 */
export function callOptions(context: HandlerContext): CallOptions {
  const remaining = context.timeoutMs();
  return {
    signal: context.signal,
    contextValues: context.values,
    // Zero and less would mean "no deadline"; a deadline that has passed must stay one.
    ...(remaining === undefined ? {} : { timeoutMs: Math.max(1, remaining) }),
  };
}
