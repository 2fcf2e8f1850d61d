import { ConnectError, type Interceptor, type StreamRequest, type UnaryRequest } from "@connectrpc/connect";
import { getProblemFacts, internal, getRetryAfter, isOpaqueError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { unreadableMessage } from "../serving/opening.ts";
import { abortReason, observed, unlessAborted, untilAborted } from "../streams.ts";
import { storageProblem } from "../storage-problem.ts";
import { requestIdKey } from "./request-id.ts";

/**
 * Lets only statuses leave. An unknown error is logged whole and leaves as Internal with a fixed text. A database that cannot be
 * used at the moment leaves as Unavailable (`storageProblem`), and the log names the reason; the cause of a status is logged and stays here. A call whose client is gone
 * or whose deadline has passed ends at once, quietly, as Canceled or DeadlineExceeded, even when its handler does not look at the
 * signal. An error after which the call may be repeated has the header `retry-after`, in seconds.
 */
export function errorInterceptor(logger: Logger): Interceptor {
  return (next) => async (request) => {
    const leave = (error: unknown): ConnectError => withRetryAfter(statusFor(error, request, logger));
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
  const unreadable = unreadableMessage(error);
  if (unreadable !== undefined) return unreadable;
  const context = {
    err: error,
    service: request.service.typeName,
    method: request.method.name,
    requestId: request.contextValues.get(requestIdKey),
  };
  if (!(error instanceof ConnectError) || isOpaqueError(error)) {
    const problem = storageProblem(error);
    if (problem === undefined) {
      logger.error(context, "unexpected error");
      return internal(error);
    }
    // Every call fails with it as long as it lasts, wherever the call stands in the code.
    const { reason } = getProblemFacts(problem);
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : undefined;
    logger.warn({ ...context, err: undefined, reason, cause }, "the database failed a call");
    return problem;
  }
  if (error.cause !== undefined) logger.warn(context, "call failed");
  return error;
}

/** As a server sends it: connect sends no metadata of an error that came from another process, so this one is a new error. */
function withRetryAfter(error: ConnectError): ConnectError {
  const seconds = getRetryAfter(error);
  if (seconds === undefined) return error;
  const own = error.isWireError
    ? new ConnectError(error.rawMessage, error.code, undefined, undefined, error.cause)
    : error;
  own.details = error.details;
  own.metadata.set("retry-after", String(seconds));
  return own;
}
