import type { Interceptor } from "@connectrpc/connect";
import type { Logger } from "../logger.ts";
import { callSignalInterceptor } from "./call-signal.ts";
import { deadlineInterceptor } from "./deadline.ts";
import { errorInterceptor } from "./errors.ts";
import { fieldValueInterceptor } from "./field-values.ts";
import { loggingInterceptor } from "./logging.ts";
import { removedInterceptor } from "./removed.ts";
import { requestIdInterceptors } from "./request-id.ts";

/**
 * Returns the interceptors that every server begins with, outermost first: request ID, logging, errors, removed endpoints, values
 * that fields cannot have and the signal of the call.
 */
export function serverInterceptors({ logger }: { logger: Logger }): Interceptor[] {
  return [
    requestIdInterceptors.server,
    loggingInterceptor(logger),
    errorInterceptor(logger),
    removedInterceptor(),
    fieldValueInterceptor(),
    callSignalInterceptor(),
  ];
}

/** Returns the interceptors that every client begins with: the request ID, and a default deadline (30 seconds unless given). */
export function clientInterceptors({ timeoutMs = 30_000 }: { timeoutMs?: number } = {}): Interceptor[] {
  return [requestIdInterceptors.client, deadlineInterceptor(timeoutMs)];
}
