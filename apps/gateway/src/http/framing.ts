import type { IncomingMessage } from "node:http";
import { getHeaderValues } from "./exchange.ts";

/** A reason for which a request is refused because of its headers, before its path is considered. */
export type FramingProblem = "HOST_MISSING" | "HOST_REPEATED" | "TRANSFER_CODING";

/**
 * Returns what is wrong with the Host and Transfer-Encoding of a request; undefined if nothing is. HTTP/1.1 requires exactly one Host, and
 * no version allows several. The only transfer coding is a single `chunked`. Node.js would use the first Host, and read `gzip, chunked` as
 * if it were `chunked`, while a proxy may understand the same request differently.
 */
export function findFramingProblem(request: IncomingMessage): FramingProblem | undefined {
  const coding = request.headers["transfer-encoding"];
  if (coding !== undefined && coding.trim().toLowerCase() !== "chunked") return "TRANSFER_CODING";
  if (request.headers.host === undefined) return request.httpVersion === "1.1" ? "HOST_MISSING" : undefined;
  return getHeaderValues(request, "host").length > 1 ? "HOST_REPEATED" : undefined;
}
