import type { Interceptor } from "@connectrpc/connect";
import { createLinkedAbortController } from "@connectrpc/connect/protocol";
import { hasDeadline, withDeadline } from "../deadline-header.ts";
import { deadlineExceeded } from "../errors.ts";
import { observed } from "../streams.ts";

/**
 * On the client side: gives calls that have no deadline one of `defaultTimeoutMs` milliseconds, which the server learns of.
 * Calls whose answer is a stream are left alone: how long they last is not how long the server takes to answer.
 */
export function deadlineInterceptor(defaultTimeoutMs: number): Interceptor {
  return (next) => async (request) => {
    const streams = request.method.methodKind === "server_streaming" || request.method.methodKind === "bidi_streaming";
    if (streams || hasDeadline(request.header)) return next(request);
    const controller = createLinkedAbortController(request.signal);
    const timer = setTimeout(() => controller.abort(deadlineExceeded()), defaultTimeoutMs);
    const stop = (): void => clearTimeout(timer);
    try {
      const header = withDeadline(request.header, defaultTimeoutMs);
      const response = await next({ ...request, header, signal: controller.signal });
      if (!response.stream) {
        stop();
        return response;
      }
      const failed = (error: unknown): unknown => {
        stop();
        return error;
      };
      return { ...response, message: observed(response.message, { ended: stop, failed }) };
    } catch (error) {
      stop();
      throw error;
    }
  };
}
