import { Code, type ConnectError } from "@connectrpc/connect";
import { problem } from "@switchyard/rpc";

/** No endpoint has this path. */
export function endpointNotFound(): ConnectError {
  return problem(Code.NotFound, "NOT_FOUND", "There is no such endpoint.");
}

/** The path has no such method; the Allow header names those it has. */
export function methodNotAllowed(method: string): ConnectError {
  return problem(Code.Unimplemented, "METHOD_NOT_ALLOWED", `This path has no method ${method}.`);
}

/** The body, or the file in it, is larger than `maxBytes`. */
export function payloadTooLarge(what: string, maxBytes: number, field?: string): ConnectError {
  const message = `${what} may have at most ${maxBytes} bytes.`;
  return problem(Code.ResourceExhausted, "PAYLOAD_TOO_LARGE", message, {
    violations: field === undefined ? [] : [{ field, message }],
  });
}

/** The body is of a type that the endpoint does not take. */
export function unsupportedMediaType(expected: string): ConnectError {
  return problem(Code.InvalidArgument, "UNSUPPORTED_MEDIA_TYPE", `The content type must be ${expected}.`);
}

/** The request target is longer than the server takes. */
export function uriTooLong(maxBytes: number): ConnectError {
  return problem(Code.InvalidArgument, "URI_TOO_LONG", `The request target may have at most ${maxBytes} bytes.`);
}
