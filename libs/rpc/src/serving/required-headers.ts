import type { UniversalHandler, UniversalServerResponse } from "@connectrpc/connect/protocol";

/** Adds the header that HTTP requires with the status of a response: `WWW-Authenticate` with 401, and `Allow` with 405. */
export function withRequiredHeaders(
  response: UniversalServerResponse,
  { allowedMethods }: Pick<UniversalHandler, "allowedMethods">,
): UniversalServerResponse {
  if (response.status !== 401 && response.status !== 405) return response;
  const header = new Headers(response.header);
  if (response.status === 401) header.set("www-authenticate", "Bearer");
  else header.set("allow", allowedMethods.toSorted().join(", "));
  return { ...response, header };
}
