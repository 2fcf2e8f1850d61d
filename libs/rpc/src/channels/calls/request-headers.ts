import type { DescMethod } from "@bufbuild/protobuf";
import type { OutgoingHttpHeaders } from "node:http2";
import { formatTimeout } from "../../deadline-header.ts";

// The client writes the first ones itself. The others belong to a connection, and HTTP/2 does not allow them.
const reserved: ReadonlySet<string> = new Set([
  ...["grpc-timeout", "content-type", "te", "user-agent", "grpc-encoding", "grpc-accept-encoding"],
  ...["connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "http2-settings"],
  "content-length",
]);

/** Returns the headers with which a call is sent. Binary ones are base64 on both sides. */
export function toRequestHeaders(method: DescMethod, authority: string, header: Headers): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    ":method": "POST",
    ":scheme": "http",
    ":authority": authority,
    ":path": `/${method.parent.typeName}/${method.name}`,
    "content-type": "application/grpc+proto",
    te: "trailers",
    "user-agent": "grpc-node-switchyard/1",
  };
  header.forEach((value, name) => {
    if (!reserved.has(name)) headers[name] = value;
  });
  return headers;
}

/** Sets what differs between the attempts of a call: what remains of its time, and the number of attempts before this one. */
export function setAttempt(headers: OutgoingHttpHeaders, remainingMs: number | undefined, attempts: number): void {
  if (remainingMs !== undefined) headers["grpc-timeout"] = formatTimeout(Math.max(1, remainingMs));
  if (attempts > 0) headers["grpc-previous-rpc-attempts"] = String(attempts);
}
