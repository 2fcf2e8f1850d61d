import type { Document } from "./document.ts";
import { methodNotAllowed } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { chooseMediaType, requireCoding } from "./negotiation.ts";
import { sendResponse, sendTagged } from "./responses.ts";

/** A file that does not change, with the headers of its responses. */
export interface FixedFile {
  readonly document: Document;
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Responds to OPTIONS on a path with a fixed list of methods, GET and HEAD by default, and returns true. Throws for other methods that the
 * path does not support; the Allow header is set on the exchange.
 */
export async function respondToOptions(
  exchange: Exchange,
  methods: readonly string[] = ["GET", "HEAD"],
): Promise<boolean> {
  const { headers } = exchange;
  const { method = "" } = exchange.request;
  if (methods.includes(method)) return false;
  headers["allow"] = [...methods, "OPTIONS"].sort().join(", ");
  if (method !== "OPTIONS") throw methodNotAllowed(method);
  await sendResponse(exchange, 204, {}, undefined);
  return true;
}

/** Responds with a JSON document that does not change, and returns the status. */
export async function sendDocument(exchange: Exchange, document: Document): Promise<number> {
  if (await respondToOptions(exchange)) return 204;
  const type = chooseMediaType(exchange, ["application/json"]);
  requireCoding(exchange);
  return sendTagged(exchange, { "content-type": type }, document, document.tag);
}

/** Responds with a file that does not change, and returns the status. */
export async function sendFixedFile(exchange: Exchange, file: FixedFile): Promise<number> {
  if (await respondToOptions(exchange)) return 204;
  const type = `${chooseMediaType(exchange, [file.mediaType])}; charset=utf-8`;
  requireCoding(exchange);
  return sendTagged(exchange, { ...file.headers, "content-type": type }, file.document, file.document.tag);
}
