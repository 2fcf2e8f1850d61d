import { Code, ConnectError, type Interceptor, type StreamResponse, type UnaryResponse } from "@connectrpc/connect";
import { getReason } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { abortReason, observed } from "../streams.ts";
import { requestIdKey } from "./request-id.ts";

const serverErrorCodes: readonly Code[] = [Code.Internal, Code.Unknown, Code.DataLoss];

/**
 * Creates a server interceptor that logs each call when it has ended: service, method, code, milliseconds and request ID, but never
 * headers or messages. Server faults are logged as errors; Unavailable and DeadlineExceeded as warnings.
 */
export function loggingInterceptor(logger: Logger): Interceptor {
  return (next) => async (request) => {
    const begin = performance.now();
    const ended = (error?: unknown): void => {
      const code = error === undefined ? undefined : ConnectError.from(error).code;
      const line = {
        service: request.service.typeName,
        method: request.method.name,
        code: code === undefined ? "OK" : getReason(code),
        ms: Math.round((performance.now() - begin) * 10) / 10,
        requestId: request.contextValues.get(requestIdKey),
      };
      logger[level(code)](line, "call");
    };
    let response: UnaryResponse | StreamResponse;
    try {
      response = await next(request);
    } catch (error) {
      ended(error);
      throw error;
    }
    if (!response.stream) {
      ended();
      return response;
    }
    const message = observed(response.message, {
      // A stream that is not read to its end ends without an error.
      ended: () => ended(request.signal.aborted ? abortReason(request.signal) : undefined),
      failed: (error) => {
        ended(error);
        return error;
      },
    });
    return { ...response, message };
  };
}

function level(code: Code | undefined): "info" | "warn" | "error" {
  if (code === undefined) return "info";
  if (serverErrorCodes.includes(code)) return "error";
  return code === Code.Unavailable || code === Code.DeadlineExceeded ? "warn" : "info";
}
