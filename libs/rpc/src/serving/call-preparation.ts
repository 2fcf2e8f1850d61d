import { base64Decode } from "@bufbuild/protobuf/wire";
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

/**
 * Checks the query of a Connect GET request: throws InvalidArgument (`INVALID_REQUEST`) if its message is not the base64 that it is said to
 * be. Connect itself would respond Internal.
 */
export function checkQuery({ requestMethod, url }: Pick<HandlerContext, "requestMethod" | "url">): void {
  if (requestMethod !== "GET") return;
  const { searchParams } = new URL(url);
  if (searchParams.get("base64") !== "1") return;
  try {
    base64Decode(searchParams.get("message") ?? "");
  } catch {
    throw invalid([{ field: "", message: "The message is not valid base64." }]);
  }
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
 * Returns InvalidArgument (`INVALID_REQUEST`) for the error with which Connect refuses an invalid message. In the binary format, and if
 * compressed data is incomplete, that is Internal, which would blame the server; in JSON, it is InvalidArgument without a reason. Returns
 * ResourceExhausted (`PAYLOAD_TOO_LARGE`) for the error with which it refuses a message that is too large: without a reason, clients would
 * mistake it for the rate limit, and send the message again. Returns Internal (`PROTOCOL_ERROR`), as gRPC specifies, for a message that is
 * marked as compressed although the call has no compression. Returns undefined for any other error.
 */
export function unreadableMessage(error: unknown): ConnectError | undefined {
  if (!(error instanceof ConnectError) || error.details.length > 0) return undefined;
  const limit = error.code === Code.ResourceExhausted && /configured readMaxBytes (\d+)/.exec(error.rawMessage)?.[1];
  if (limit) return problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", `A message may have at most ${limit} bytes.`);
  if (error.code === Code.Internal && error.rawMessage.startsWith("parse binary: "))
    return invalid([{ field: "", message: "The message is not valid protobuf of the type of this method." }]);
  if (error.rawMessage === "decompression failed")
    return invalid([{ field: "", message: "The message cannot be decompressed." }]);
  if (error.code === Code.Internal && error.rawMessage.startsWith("received compressed envelope"))
    return problem(
      Code.Internal,
      "PROTOCOL_ERROR",
      "A message is marked as compressed, but the call has no compression.",
    );
  const { cause } = error;
  if (error.code !== Code.InvalidArgument || !(cause instanceof Error) || cause.message !== error.rawMessage)
    return undefined;
  return invalid([{ field: "", message: error.rawMessage }]);
}
