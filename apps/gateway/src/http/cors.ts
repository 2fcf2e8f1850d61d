import { cors as connectCors } from "@connectrpc/connect";
import type { IncomingMessage } from "node:http";
import { z } from "zod";

/** Decides for browsers whether pages of other origins may use the gateway. */
export interface Cors {
  /** The Vary header of every response: what it depends on besides the path. */
  readonly vary: string;
  /** Returns whether a request is a preflight request that needs no token; none is while no origins are configured. */
  isPreflight(request: IncomingMessage): boolean;
  /**
   * Returns the headers of the response to a request, whatever its status. They grant access to the configured origins only. Without
   * configured origins, there are none.
   */
  getHeaders(request: IncomingMessage): Readonly<Record<string, string>>;
}

const methods = "GET, HEAD, POST, PUT, PATCH, DELETE";

const requestHeaders = [
  "Authorization",
  "Idempotency-Key",
  "If-Match",
  "If-None-Match",
  "If-Range",
  "Range",
  "Traceparent",
  "X-Request-Id",
  ...connectCors.allowedHeaders,
].join(", ");

const responseHeaders = [
  "ETag",
  "Link",
  "Location",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "Idempotency-Replayed",
  "Content-Range",
  "X-Request-Id",
  ...connectCors.exposedHeaders,
].join(", ");

/** How long a browser may remember the response to a preflight request, in seconds. Browsers remember it for two hours at most. */
const maxAgeSeconds = 7_200;

/**
 * Creates the policy for a list of origins, such as `https://app.example.com`. The token is sent in a header that pages set themselves, so
 * credentials of the browser, such as cookies, are not allowed.
 */
export function createCors(origins: readonly string[]): Cors {
  const allowed = new Set(origins);
  const asks = ({ method, headers }: IncomingMessage): boolean =>
    method === "OPTIONS" && headers.origin !== undefined && headers["access-control-request-method"] !== undefined;
  return {
    vary: allowed.size === 0 ? "Accept, Accept-Encoding" : "Origin, Accept, Accept-Encoding",
    isPreflight: (request) => allowed.size > 0 && asks(request),
    getHeaders(request) {
      const { origin } = request.headers;
      if (origin === undefined || !allowed.has(origin)) return {};
      if (!asks(request)) {
        return { "access-control-allow-origin": origin, "access-control-expose-headers": responseHeaders };
      }
      return {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": methods,
        "access-control-allow-headers": requestHeaders,
        "access-control-max-age": String(maxAgeSeconds),
      };
    },
  };
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

/** The environment variable that names the origins whose pages may use the gateway, separated by commas; none by default. */
export const corsVariables = {
  SWITCHYARD_CORS_ORIGINS: z
    .string()
    .default("")
    .transform((list) => list.split(",").flatMap((item) => (item.trim() === "" ? [] : [item.trim()])))
    .refine((origins) => origins.every(isOrigin), "must be origins like https://app.example.com, separated by commas"),
};
