import { httpBodyType, type Route } from "@switchyard/rest";
import { notAcceptable } from "../http/errors.ts";
import type { Exchange } from "../http/exchange.ts";
import { acceptsIdentity, chooseMediaType, requireCoding } from "../http/negotiation.ts";

/** The media types of a stream of events. */
export const eventTypes = ["text/event-stream", "application/x-ndjson"] as const;

/** A media type of a stream of events. */
export type EventType = (typeof eventTypes)[number];

/**
 * Refuses a request whose Accept or Accept-Encoding header excludes every response of the endpoint, before the call. The type of a file is
 * known only after the call, and so is whether one without a tag is compressed; both are checked then.
 * @throws NOT_ACCEPTABLE
 */
export function refuseUnacceptable(exchange: Pick<Exchange, "request">, route: Route): void {
  if (route.successStatus === 204) return;
  const isFile = route.method.output.typeName === httpBodyType;
  const isStream = isFile || route.eventName !== undefined;
  if (!isStream) chooseMediaType(exchange, ["application/json"]);
  else if (!isFile) chooseMediaType(exchange, eventTypes);
  const mayBeCompressed = !isStream || (isFile && route.entityTag === undefined);
  if (!mayBeCompressed && !acceptsIdentity(exchange)) throw notAcceptable("Accept-Encoding", ["identity"]);
  requireCoding(exchange);
}
