import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { addReason, invalid, problem } from "../errors.ts";
import { assignRequestId, requestIdHeader, requestIdSentKey } from "../interceptors/request-id.ts";

/**
 * Prepares a call before its body is read; used as the `requestGate` of Connect. Sets the request ID under `requestIdKey`, in the
 * response header and, over gRPC and gRPC-Web, in the trailers, where clients look for it after an error. Errors of
 * Connect itself get a reason, even if it fails before any interceptor.
 */
export function prepareCall(context: HandlerContext): void {
  identifyCall(context);
  // Connect aborts the signal with the error before it writes the error. There is no other hook.
  context.signal.addEventListener("abort", () => complete(context.signal.reason), { once: true });
}

/** Sets the request ID of a call in its context values and in its response, like `prepareCall`. */
export function identifyCall(context: HandlerContext): void {
  const id = assignRequestId(context.requestHeader, context.values);
  context.values.set(requestIdSentKey, true);
  context.responseHeader.set(requestIdHeader, id);
  if (context.protocolName !== "connect") context.responseTrailer.set(requestIdHeader, id);
}

/** Changes an error of Connect itself to one with a reason. */
function complete(error: unknown): void {
  if (!(error instanceof ConnectError)) return;
  const readable = unreadableMessage(error);
  if (readable === undefined) {
    addReason(error);
    return;
  }
  const { code, message, rawMessage, details } = readable;
  Object.assign(error, { code, message, rawMessage, details });
}

/**
 * Returns InvalidArgument (`INVALID_REQUEST`) for the error with which Connect refuses an invalid message. In the binary format, that
 * is Internal, which would blame the server; in JSON, it is InvalidArgument without a reason. Returns ResourceExhausted
 * (`PAYLOAD_TOO_LARGE`) for the error with which it refuses a message that is too large: without a reason, clients would mistake it for the
 * rate limit, and send the message again. Returns undefined for any other error.
 */
export function unreadableMessage(error: unknown): ConnectError | undefined {
  if (!(error instanceof ConnectError) || error.details.length > 0) return undefined;
  const limit = error.code === Code.ResourceExhausted && /configured readMaxBytes (\d+)/.exec(error.rawMessage)?.[1];
  if (limit) return problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", `A message may have at most ${limit} bytes.`);
  if (error.code === Code.Internal && error.rawMessage.startsWith("parse binary: "))
    return invalid([{ field: "", message: "The message is not valid protobuf of the type of this method." }]);
  const { cause } = error;
  if (error.code !== Code.InvalidArgument || !(cause instanceof Error) || cause.message !== error.rawMessage)
    return undefined;
  return invalid([{ field: "", message: error.rawMessage }]);
}
