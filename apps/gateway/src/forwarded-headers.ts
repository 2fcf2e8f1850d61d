/** The only headers of a request that go on to a service; all others stay here, whatever they claim. */
const inward: readonly string[] = ["traceparent", "idempotency-key"];

/** The only headers of a service's answer that go out. */
const outward: readonly string[] = ["x-file-name", "idempotency-replayed", "retry-after"];

/** The headers for the call to a service. */
export function inwardHeaders(valueOf: (name: string) => string | null | undefined): Headers {
  return picked(inward, valueOf);
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
