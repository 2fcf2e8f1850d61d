import type { IncomingMessage } from "node:http";
import { getHeaderValues } from "@switchyard/rpc";

/** A reason for which a request is refused because of its first line or headers, before its path is considered. */
export type FramingProblem = "VERSION" | "HOST_MISSING" | "HOST_REPEATED" | "HOST_INVALID" | "TRANSFER_CODING";

/** `[uri-host [":" port]]` (RFC 9110, section 7.2). The host may be empty. */
const hostValue = /^(?:\[[\w.:~!$&'()*+,;=-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Returns what is wrong with the version, Host and Transfer-Encoding of a request; undefined if nothing is. HTTP/1.1 requires exactly one
 * Host, and no version allows several, or one that is not a host. The only transfer coding is a single `chunked`, and HTTP/1.0 has none.
 * Node.js would also read other versions, use the first Host, and read `gzip, chunked` as if it were `chunked`, while a proxy may
 * understand the same request differently.
 */
export function findFramingProblem(request: IncomingMessage): FramingProblem | undefined {
  const { httpVersion, headers } = request;
  if (httpVersion !== "1.1" && httpVersion !== "1.0") return "VERSION";
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && (httpVersion === "1.0" || coding.trim().toLowerCase() !== "chunked"))
    return "TRANSFER_CODING";
  if (headers.host === undefined) return httpVersion === "1.1" ? "HOST_MISSING" : undefined;
  if (getHeaderValues(request, "host").length > 1) return "HOST_REPEATED";
  return hostValue.test(headers.host) ? undefined : "HOST_INVALID";
}

/**
 * Returns the path and query of a request target in absolute form (`http://host/path`), which every server must accept (RFC 9112, section
 * 3.2.2), and any other target as it is.
 */
export function toOriginForm(target: string): string {
  const rest = /^https?:\/\/[^/?#@]+(?![^/?#])(.*)$/i.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith("/") ? rest : `/${rest}`;
}
