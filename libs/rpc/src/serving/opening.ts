import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { invalid } from "../errors.ts";
import { noteRequestId, requestIdHeader, requestIdToldKey } from "../interceptors/request-id.ts";

/**
 * What every call begins with, before its body is read (the `requestGate` of connect). The call gets its request id, under
 * `requestIdKey`, in the header of the answer and, over gRPC and gRPC-Web, in its trailers too, where clients look after an error.
 * Bytes that are no message are refused as InvalidArgument (`unreadableMessage`), also where connect fails before any interceptor.
 */
export function openCall(context: HandlerContext): void {
  const id = noteRequestId(context.requestHeader, context.values);
  context.values.set(requestIdToldKey, true);
  context.responseHeader.set(requestIdHeader, id);
  if (context.protocolName !== "connect") context.responseTrailer.set(requestIdHeader, id);
  // Connect tells the signal of an error before it writes it, and nobody else.
  context.signal.addEventListener("abort", () => makeReadable(context.signal.reason), { once: true });
}

function makeReadable(error: unknown): void {
  const readable = unreadableMessage(error);
  if (readable === undefined) return;
  const { code, message, rawMessage, details } = readable;
  Object.assign(error as ConnectError, { code, message, rawMessage, details });
}

/**
 * InvalidArgument, reason "INVALID_REQUEST", for the error by which connect says that bytes are no message of the method: Internal in
 * the binary format, which blames the server, InvalidArgument without a reason in JSON. Undefined for every other error.
 */
export function unreadableMessage(error: unknown): ConnectError | undefined {
  if (!(error instanceof ConnectError) || error.details.length > 0) return undefined;
  if (error.code === Code.Internal && error.rawMessage.startsWith("parse binary: "))
    return invalid([{ field: "", message: "The message is not valid protobuf of the type of this method." }]);
  const { cause } = error;
  if (error.code !== Code.InvalidArgument || !(cause instanceof Error) || cause.message !== error.rawMessage)
    return undefined;
  return invalid([{ field: "", message: error.rawMessage }]);
}
