import {
  ConnectError,
  type HandlerContext,
  type Interceptor,
  type StreamRequest,
  type UnaryRequest,
} from "@connectrpc/connect";
import { getProblemFacts, internal, getRetryAfter, isOpaqueError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { unreadableMessage } from "../serving/call-preparation.ts";
import { abortReason, observed, unlessAborted, untilAborted } from "../streams.ts";
import { storageProblem } from "../storage-problem.ts";
import { requestIdKey } from "./request-id.ts";

/**
 * Creates a server interceptor that converts every error to a status. An unexpected error is logged in full and becomes Internal with a
 * fixed text. An error of an unavailable database becomes Unavailable (`storageProblem`), and its reason is logged. The cause of a
 * status is logged but not sent. A call that was cancelled or whose deadline has passed ends immediately as Canceled or
 * DeadlineExceeded, even if its handler ignores the signal. An error after which the call can be retried has a `retry-after` header.
 */
export function errorInterceptor(logger: Logger): Interceptor {
  return (next) => async (request) => {
    const leave = (error: unknown): ConnectError => withRetryAfter(toConnectError(error, request, logger));
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

function toConnectError(error: unknown, request: UnaryRequest | StreamRequest, logger: Logger): ConnectError {
  if (request.signal.aborted) return abortReason(request.signal);
  const { service, method, contextValues: values } = request;
  return unreadableMessage(error) ?? reportError(error, { service, method, values }, logger);
}

/**
 * Converts an error of a call, or of a part of one, to the status that the client gets, and logs what the client does not get: an unexpected
 * error in full, which becomes Internal with a fixed text; why the database was unavailable (`storageProblem`); and the cause of a status.
 */
export function reportError(
  error: unknown,
  { service, method, values }: Pick<HandlerContext, "service" | "method" | "values">,
  logger: Pick<Logger, "error" | "warn">,
): ConnectError {
  const context = { err: error, service: service.typeName, method: method.name, requestId: values.get(requestIdKey) };
  if (!(error instanceof ConnectError) || isOpaqueError(error)) {
    const problem = storageProblem(error);
    if (problem === undefined) {
      logger.error(context, "unexpected error");
      return internal(error);
    }
    // Every call fails with it while the database is unavailable, so a stack trace would not help.
    const { reason } = getProblemFacts(problem);
    const cause = error instanceof Error ? `${error.name}: ${error.message}` : undefined;
    logger.warn({ ...context, err: undefined, reason, cause }, "the database failed a call");
    return problem;
  }
  if (error.cause !== undefined) logger.warn(context, "call failed");
  return error;
}

/** Adds `retry-after`. Connect drops the metadata of an error that came from another process, so such an error is copied. */
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
