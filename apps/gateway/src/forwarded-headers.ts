import type { DescMethod } from "@bufbuild/protobuf";
import { idempotencyKeyHeader, invalid, isIdempotencyKey, replayedHeader, takesIdempotencyKey } from "@switchyard/rpc";

/** The only headers of a request that go on to a service, besides an idempotency key; all others stay here, whatever they claim. */
const inward: readonly string[] = ["traceparent"];

/** The only headers of a service's answer that go out. */
const outward: readonly string[] = ["x-file-name", replayedHeader, "retry-after"];

/**
 * The headers for the call of a method; `getLines` gives the values of a request header, one for each line, or all in one. Throws
 * InvalidArgument for an idempotency key that is none, where the method takes one.
 */
export function inwardHeaders(method: DescMethod, getLines: (name: string) => readonly string[]): Headers {
  const headers = picked(inward, (name) => getLines(name)[0]);
  const keys = takesIdempotencyKey(method) ? getLines(idempotencyKeyHeader) : [];
  const [key] = keys;
  if (key === undefined) return headers;
  if (keys.length > 1 || !isIdempotencyKey(key)) {
    const message = "must be one header of 1 to 255 printable ASCII characters without a comma";
    throw invalid([{ field: "Idempotency-Key", message }]);
  }
  headers.set(idempotencyKeyHeader, key);
  return headers;
}

/** The headers of an answer that the client may see. */
export function outwardHeaders(header: Headers): Headers {
  return picked(outward, (name) => header.get(name));
}

function picked(names: readonly string[], valueOf: (name: string) => string | null | undefined): Headers {
  const headers = new Headers();
  for (const name of names) {
    const value = valueOf(name);
    if (typeof value === "string") headers.set(name, value);
  }
  return headers;
}
