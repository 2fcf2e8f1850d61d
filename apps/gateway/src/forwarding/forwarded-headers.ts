import type { DescMethod } from "@bufbuild/protobuf";
import { idempotencyKeyHeader, invalid, isIdempotencyKey, replayedHeader, takesIdempotencyKey } from "@switchyard/rpc";

/** The request headers that are forwarded to a service, besides the idempotency key. All others are dropped. */
const requestHeaders: readonly string[] = ["traceparent"];

/** The response headers of a service that are forwarded to the client. */
const responseHeaders: readonly string[] = ["x-file-name", replayedHeader, "retry-after"];

/**
 * Returns the headers for the call of a method. `getValues` returns the values of a request header. Throws InvalidArgument if the
 * method takes an idempotency key and the key is malformed or sent more than once.
 */
export function toRequestHeaders(
  method: DescMethod,
  getValues: (name: string) => readonly string[],
): Record<string, string> {
  const headers = pickHeaders(requestHeaders, (name) => getValues(name)[0]);
  const keys = getValues(idempotencyKeyHeader);
  const [key] = keys;
  if (key === undefined || !takesIdempotencyKey(method)) return headers;
  if (keys.length > 1 || !isIdempotencyKey(key)) {
    const message = "must be one header of 1 to 255 printable ASCII characters without a comma";
    throw invalid([{ field: "Idempotency-Key", message }]);
  }
  headers[idempotencyKeyHeader] = key;
  return headers;
}

/** Returns the headers of a response that the client may see. */
export function toResponseHeaders(header: Headers): Record<string, string> {
  return pickHeaders(responseHeaders, (name) => header.get(name));
}

function pickHeaders(
  names: readonly string[],
  getValue: (name: string) => string | null | undefined,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of names) {
    const value = getValue(name);
    if (typeof value === "string") headers[name] = value;
  }
  return headers;
}
