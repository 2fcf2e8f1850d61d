import type { NodeResponse } from "./node-messages.ts";
import type { UniversalHandler, UniversalServerRequest, UniversalServerResponse } from "@connectrpc/connect/protocol";

/** Sets the headers of responses that a browser can read, so that it neither stores them, because they may be confidential, nor guesses their type. */
export function setConfidential(response: NodeResponse): void {
  response.setHeader("cache-control", "no-store");
  response.setHeader("x-content-type-options", "nosniff");
}

/**
 * Adds the header that HTTP requires with the status of a response: `WWW-Authenticate` with 401, and `Allow` with 405. The response to an
 * OPTIONS request, which Connect does not support, is 204 with `Allow` instead of 405.
 */
export function withRequiredHeaders(
  response: UniversalServerResponse,
  { method }: Pick<UniversalServerRequest, "method">,
  { allowedMethods }: Pick<UniversalHandler, "allowedMethods">,
): UniversalServerResponse {
  if (response.status !== 401 && response.status !== 405) return response;
  const header = new Headers(response.header);
  if (response.status === 401) {
    header.set("www-authenticate", "Bearer");
    return { ...response, header };
  }
  const headed = allowedMethods.includes("GET") ? ["HEAD"] : [];
  header.set("allow", [...allowedMethods, ...headed, "OPTIONS"].sort().join(", "));
  return { ...response, header, status: method === "OPTIONS" ? 204 : 405 };
}
