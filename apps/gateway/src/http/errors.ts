import { Code, type ConnectError } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";

/** Returns the error for a path without an endpoint. */
export function endpointNotFound(): ConnectError {
  return problem(Code.NotFound, "NOT_FOUND", "There is no such endpoint.");
}

/** Returns the error for a method that the path does not support. The caller sets the Allow header. */
export function methodNotAllowed(method: string): ConnectError {
  return problem(Code.Unimplemented, "METHOD_NOT_ALLOWED", `This path does not support the method ${method}.`);
}

/** Returns the error for a body, or a file in it, that is larger than `maxBytes`. */
export function payloadTooLarge(what: string, maxBytes: number, field?: string): ConnectError {
  const message = `${what} may have at most ${maxBytes} bytes.`;
  return problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", message, {
    violations: field === undefined ? [] : [{ field, message }],
  });
}

/** Returns the error for a body of a type that the endpoint does not accept. */
export function unsupportedMediaType(expected: string): ConnectError {
  return problem(Code.InvalidArgument, "UNSUPPORTED_MEDIA_TYPE", `The content type must be ${expected}.`);
}

/** Returns the error for a body with a content coding, such as gzip. */
export function unsupportedContentEncoding(): ConnectError {
  return problem(Code.InvalidArgument, "UNSUPPORTED_MEDIA_TYPE", "The body must be sent without a content encoding.");
}

/** Returns the error for a request target that is too long. */
export function uriTooLong(maxBytes: number): ConnectError {
  return problem(Code.InvalidArgument, "URI_TOO_LONG", `The request target may have at most ${maxBytes} bytes.`);
}

/** Returns the error for an Accept or Accept-Encoding header that excludes everything that the endpoint can send. */
export function notAcceptable(header: "Accept" | "Accept-Encoding", available: readonly string[]): ConnectError {
  const message = `The ${header} header excludes what this endpoint sends: ${available.join(" or ")}.`;
  return problem(Code.InvalidArgument, "NOT_ACCEPTABLE", message);
}

/** Returns the error for a resource that is not the version that If-Match or If-None-Match asks for. */
export function preconditionFailed(): ConnectError {
  const message = "The resource is not the version that the request is for. Read it again.";
  return problem(Code.FailedPrecondition, "PRECONDITION_FAILED", message);
}

/** Returns the error for a Range header that selects none of the bytes. The caller sets the Content-Range header. */
export function rangeNotSatisfiable(size: number): ConnectError {
  return problem(Code.OutOfRange, "RANGE_NOT_SATISFIABLE", `The range selects none of the ${size} bytes.`);
}
