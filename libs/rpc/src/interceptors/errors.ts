import { ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { internal, saysNothing, unavailable } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { abortReason, observed, unlessAborted, untilAborted } from "../streams.ts";
import { requestIdKey } from "./request-id.ts";

/** The errors by which the driver says that the database cannot be reached; by name, as the driver is for stores only. */
const unreachableDatabase: ReadonlySet<string> = new Set([
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoNotConnectedError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoServerSelectionError",
  "MongoTopologyClosedError",
  "MongoWaitQueueTimeoutError",
  "MongooseServerSelectionError",
  "PoolClearedOnNetworkError",
]);

/** What Node.js says of a socket that the database ended just before something was written; the driver hands it on as it is. */
const endedSocket: ReadonlySet<unknown> = new Set(["EPIPE", "ECONNRESET"]);

function isUnreachableDatabase(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return unreachableDatabase.has(error.name) || endedSocket.has((error as NodeJS.ErrnoException).code);
}

/**
 * Lets only statuses leave. An unknown error is logged whole and leaves as Internal with a fixed text, a database that cannot be
 * reached as Unavailable ("STORAGE_UNAVAILABLE"); the cause of a status is logged and stays here. A call whose client is gone or whose deadline has passed ends at once, quietly, as
 * Canceled or DeadlineExceeded, even when its handler does not look at the signal.
 */
export function errorInterceptor(logger: Logger): Interceptor {
  return (next) => async (request) => {
    const leave = (error: unknown): ConnectError => statusFor(error, request, logger);
    try {
      const response = await unlessAborted(next(request), request.signal);
      if (!response.stream) return response;
      const message = observed(untilAborted(response.message, request.signal), {
        ended: () => undefined,
        failed: leave,
      });
      return { ...response, message };
    } catch (error) {
      throw leave(error);
    }
  };
}

function statusFor(error: unknown, request: UnaryRequest | StreamRequest, logger: Logger): ConnectError {
  if (request.signal.aborted) return abortReason(request.signal);
  const context = {
    err: error,
    service: request.service.typeName,
    method: request.method.name,
    requestId: request.contextValues.get(requestIdKey),
  };
  if (!(error instanceof ConnectError) || saysNothing(error)) {
    logger.error(context, "unexpected error");
    if (isUnreachableDatabase(error)) {
      return unavailable("STORAGE_UNAVAILABLE", "The database cannot be reached at the moment.", error);
    }
    return internal(error);
  }
  if (error.cause !== undefined) logger.warn(context, "call failed");
  return error;
}
