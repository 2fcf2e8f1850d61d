import type { Interceptor } from "@connectrpc/connect";
import type { Logger } from "../logger.ts";
import { callSignalInterceptor } from "./call-signal.ts";
import { deadlineInterceptor } from "./deadline.ts";
import { errorInterceptor } from "./errors.ts";
import { loggingInterceptor } from "./logging.ts";
import { removedInterceptor } from "./removed.ts";
import { requestIdInterceptors } from "./request-id.ts";
import { timestampInterceptor } from "./timestamps.ts";

/**
 * What every server puts first, outermost first: request id, logging, errors, removed endpoints, times that are none, the signal of
 * the call.
 */
export function serverInterceptors({ logger }: { logger: Logger }): Interceptor[] {
  return [
    requestIdInterceptors.server,
    loggingInterceptor(logger),
    errorInterceptor(logger),
    removedInterceptor(),
    timestampInterceptor(),
    callSignalInterceptor(),
  ];
}

/** What every client puts first: the request id, and a deadline (30 seconds when not said) on calls that have none. */
export function clientInterceptors({ timeoutMs = 30_000 }: { timeoutMs?: number } = {}): Interceptor[] {
  return [requestIdInterceptors.client, deadlineInterceptor(timeoutMs)];
}
