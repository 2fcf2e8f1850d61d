import type { IncomingHttpHeaders, OutgoingHttpHeaders } from "node:http2";
import { createHeaders } from "../../call-headers.ts";

/** Converts the headers of an HTTP/2 request, without its pseudo-headers. */
export function headersFromNode(headers: IncomingHttpHeaders): Headers {
  const result = createHeaders();
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || name.startsWith(":")) continue;
    if (typeof value === "string") result.append(name, value);
    else for (const each of value) result.append(name, each);
  }
  return result;
}

/** Converts the headers or the trailers of a response. Only `set-cookie` can have several values. */
export function headersToNode(headers: Headers): OutgoingHttpHeaders {
  const result: OutgoingHttpHeaders = {};
  headers.forEach((value, name) => {
    result[name] = value;
  });
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) result["set-cookie"] = cookies;
  return result;
}
