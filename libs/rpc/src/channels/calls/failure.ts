import { Code, type ConnectError } from "@connectrpc/connect";
import { codeFromHttpStatus } from "@connectrpc/connect/protocol-grpc";
import { constants, type IncomingHttpHeaders } from "node:http2";
import { getReason, problem, unavailable } from "../../errors.ts";
import { headersFromNode } from "../../serving/unary/node-headers.ts";
import { addReceived, errorInTrailers, statusDetails } from "../../serving/wire-status.ts";

/** Why an attempt to make a call failed. */
export interface Failure {
  readonly error: ConnectError;
  /** Whether the call may be repeated if its method is idempotent. */
  readonly isRetryable: boolean;
  /** The value of `grpc-retry-pushback-ms`, with which the server decides when the call is repeated. */
  readonly pushback?: string | undefined;
}

const pushbackHeader = "grpc-retry-pushback-ms";

/** Returns the failure of a call for which there is no connection. */
export function noConnection(cause: Error | undefined, { isFinal = false } = {}): Failure {
  return { error: unreachable(cause), isRetryable: !isFinal };
}

/** Returns the failure of a call to a server that hangs. */
export function unresponsive(): Failure {
  return { error: withoutRetries(unavailable("UNAVAILABLE", "The service does not respond.")), isRetryable: false };
}

/** Returns the failure of a call whose response is against the protocol. */
export function violation(message: string, cause?: unknown): Failure {
  return { error: problem(Code.Internal, "PROTOCOL_ERROR", message, { cause }), isRetryable: false };
}

/** Returns the failure of a call with too large a message. */
export function tooLarge(message: string): Failure {
  return { error: problem(Code.ResourceExhausted, getReason(Code.ResourceExhausted), message), isRetryable: false };
}

/** What the headers of a response say about its kind. */
export interface ResponseKind {
  /** The HTTP status; undefined before the headers. */
  readonly status: number | undefined;
  /** Whether the response is successful HTTP with a content type of gRPC. */
  readonly isGrpc: boolean;
}

/**
 * Returns the failure in the trailers of a response, or undefined if the call succeeded. Without a status of gRPC, the HTTP status of the
 * response decides. The error has the trailers as its metadata. A status with details was sent by a service and is kept unchanged. UNAVAILABLE without details means that the service could
 * not be reached; its text may contain addresses and is only kept as the cause.
 */
export function failureInTrailers(trailers: IncomingHttpHeaders, kind: ResponseKind): Failure | undefined {
  const status = trailers["grpc-status"];
  if (status === "0") return undefined;
  if (status === undefined) return failureFromHttp(kind);
  const code = Code[Number(status)] === undefined ? Code.Unknown : (Number(status) as Code);
  const pushback = trailers[pushbackHeader];
  const common = { pushback: pushback === undefined ? undefined : String(pushback) };
  const error = detailedError(trailers);
  if (error !== undefined) return { ...common, error, isRetryable: code === Code.Unavailable };
  const failure = fromCode(code, decodeMessage(String(trailers["grpc-message"] ?? "")));
  if (code !== Code.Unavailable) {
    failure.error.isWireError = true;
    addReceived(failure.error, toTrailer(trailers));
  }
  return { ...common, ...failure };
}

/** Returns the failure of a response without a status. */
export function failureFromHttp({ status, isGrpc }: ResponseKind): Failure {
  if (status === undefined || isGrpc) return fromCode(Code.Internal, "The response has no gRPC status.");
  return fromCode(codeFromHttpStatus(status), `The response has the HTTP status ${status}, and is not gRPC.`);
}

/** Returns the failure of a call whose stream was closed with an error code of HTTP/2. */
export function failureFromReset(resetCode: number): Failure {
  return fromCode(
    codes.get(resetCode) ?? Code.Internal,
    `The service closed the stream with the HTTP/2 error ${resetCode}.`,
  );
}

const codes: ReadonlyMap<number, Code> = new Map([
  [constants.NGHTTP2_REFUSED_STREAM, Code.Unavailable],
  [constants.NGHTTP2_CANCEL, Code.Canceled],
  [constants.NGHTTP2_ENHANCE_YOUR_CALM, Code.ResourceExhausted],
  [constants.NGHTTP2_INADEQUATE_SECURITY, Code.PermissionDenied],
]);

function fromCode(code: Code, message: string): Failure {
  if (code === Code.Unavailable) return { error: unreachable(new Error(message)), isRetryable: true };
  return { error: problem(code, getReason(code), message), isRetryable: false };
}

/** Returns the error in the details of a status. Undefined if there are none, or they are malformed or say that the call succeeded. */
function detailedError(trailers: IncomingHttpHeaders): ConnectError | undefined {
  if (trailers[statusDetails] === undefined) return undefined;
  try {
    return errorInTrailers(toTrailer(trailers));
  } catch {
    return undefined;
  }
}

/** Converts the trailers of a response, without the status, which is an error or nothing. */
export function toTrailer(trailers: IncomingHttpHeaders): Headers {
  const headers = headersFromNode(trailers);
  headers.delete("grpc-status");
  headers.delete("grpc-message");
  return headers;
}

/** Decodes percent-encoding. A text that is not well encoded is kept as it is. */
function decodeMessage(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function unreachable(cause: Error | undefined): ConnectError {
  return withoutRetries(unavailable("UNAVAILABLE", "The service cannot be reached.", cause));
}

/** Asks callers not to retry, because this channel already has, and nested retries would multiply the time. */
function withoutRetries(error: ConnectError): ConnectError {
  error.metadata.set(pushbackHeader, "-1");
  return error;
}
