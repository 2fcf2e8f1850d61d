import type { Interceptor, StreamRequest, StreamResponse, UnaryRequest, UnaryResponse } from "@connectrpc/connect";
import { createLinkedAbortController } from "@connectrpc/connect/protocol";
import { hasDeadline, withDeadline } from "../deadline-header.ts";
import { deadlineExceeded } from "../errors.ts";
import { observed } from "../streams.ts";

/**
 * Creates a client interceptor that sets a deadline of `defaultTimeoutMs`, which is also sent to the server, on calls that have none.
 * Calls with a response stream are unchanged, because a stream may last longer than a response takes.
 */
export function deadlineInterceptor(defaultTimeoutMs: number): Interceptor {
  return (next) => (request) => {
    const streams = request.method.methodKind === "server_streaming" || request.method.methodKind === "bidi_streaming";
    return streams || hasDeadline(request.header) ? next(request) : sendWithDeadline(next, request, defaultTimeoutMs);
  };
}

async function sendWithDeadline(
  next: Parameters<Interceptor>[0],
  request: UnaryRequest | StreamRequest,
  defaultTimeoutMs: number,
): Promise<UnaryResponse | StreamResponse> {
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
}
