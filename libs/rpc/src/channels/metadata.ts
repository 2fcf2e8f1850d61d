import { Metadata } from "@grpc/grpc-js";

// grpc-js writes these headers itself, and a copy would be a second value.
const reserved: ReadonlySet<string> = new Set([
  "grpc-timeout",
  "content-type",
  "te",
  "user-agent",
  "grpc-encoding",
  "grpc-accept-encoding",
]);

/** Converts request headers to the metadata of grpc-js. `-bin` headers, which are base64 in `Headers`, become bytes. */
export function metadataFrom(headers: Headers): Metadata {
  const metadata = new Metadata();
  headers.forEach((value, name) => {
    if (reserved.has(name)) return;
    if (!name.endsWith("-bin")) metadata.add(name, value);
    else for (const part of value.split(",")) metadata.add(name, Buffer.from(part.trim(), "base64"));
  });
  return metadata;
}

/** Converts the metadata of a response to `Headers`. Bytes become base64 without padding, as Connect writes it. */
export function headersFrom(metadata: Metadata): Headers {
  const headers = new Headers();
  for (const [name, given] of Object.entries(metadata.toHttp2Headers())) {
    const values = Array.isArray(given) ? given : [String(given)];
    for (const value of values) headers.append(name, name.endsWith("-bin") ? value.replace(/=+$/, "") : value);
  }
  return headers;
}
