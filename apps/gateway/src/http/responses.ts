import type { ServerResponse } from "node:http";
import { problemHeaders, toProblem } from "@switchyard/rest";
import { discardUnread, getProblemFacts, isLargelyUnread } from "@switchyard/rpc";
import { encode, maxUncompressedBytes } from "./compression.ts";
import { isUnchanged } from "./conditional.ts";
import type { Document } from "./document.ts";
import type { Exchange } from "./exchange.ts";
import { acceptsIdentity, chooseCoding, type Coding } from "./negotiation.ts";

type Headers = Readonly<Record<string, string>>;

/** The headers of every response: browsers neither store it, because it may contain documents, nor guess its type. */
export const confidential = { "cache-control": "no-store", "x-content-type-options": "nosniff" } as const;

/** Sends the status and the headers of a response: those of the exchange, and its own. */
export function writeHead({ response, headers }: Exchange, status: number, own: Headers): void {
  // With all headers at once, Node.js keeps no record of them.
  response.writeHead(status, { ...headers, ...own });
}

/**
 * Sends a complete response in the content coding that the client prefers. The response to HEAD has the same headers without the body; it
 * is not compressed, so it has no length if it would be. Does nothing if the client has disconnected or a response was already sent.
 * Returns the status.
 */
export async function sendResponse(
  exchange: Exchange,
  status: number,
  headers: Headers,
  body: string | Document | undefined,
): Promise<number> {
  const { request, response } = exchange;
  if (isClosed(response)) return status;
  const all: Record<string, string> = { ...exchange.headers, ...headers };
  const length = typeof body === "object" ? body.bytes.length : Buffer.byteLength(body ?? "");
  const coding = selectCoding(exchange, length);
  if (coding !== "identity") all["content-encoding"] = coding;
  let bytes: Buffer | string | undefined;
  if (request.method !== "HEAD") {
    bytes = coding === "identity" ? toPlain(body) : await toEncoded(body, coding);
    if (isClosed(response)) return status;
  }
  const sentLength = typeof bytes === "object" ? bytes.length : coding === "identity" ? length : undefined;
  if (sentLength !== undefined && status !== 204 && status !== 304) all["content-length"] = String(sentLength);
  if (!isLargelyUnread(request)) {
    response.writeHead(status, all);
    // Node.js sends the headers and a string in a single write, which is fastest for a string of ASCII characters in this encoding.
    if (typeof bytes === "string") response.end(bytes, bytes.length === length ? "latin1" : "utf8");
    else response.end(bytes);
    // The rest of a small body is read and discarded, or the next request on the connection would wait behind it.
    // A reader that stopped early may have left its listener, which would keep the stream paused.
    if (!request.complete) request.removeAllListeners("readable").resume();
    return status;
  }
  response.writeHead(status, { ...all, connection: "close" });
  if (bytes === undefined) response.flushHeaders();
  else response.write(bytes);
  await discardUnread(request);
  response.end();
  return status;
}

/** Sends a successful response with its entity tag, or 304 without a body if the client already has it. Returns the status. */
export function sendTagged(
  exchange: Exchange,
  headers: Headers,
  body: string | Document,
  tag: string,
): Promise<number> {
  if (!isUnchanged(exchange.request, tag)) return sendResponse(exchange, 200, { ...headers, etag: tag }, body);
  const { "content-type": _type, ...rest } = headers;
  return sendResponse(exchange, 304, { ...rest, etag: tag }, undefined);
}

/** Sends an error as a problem document and returns its status. @switchyard/rest decides what the client may see. */
export function sendProblem(exchange: Exchange, error: unknown, headers: Headers = {}): Promise<number> {
  const facts = getProblemFacts(error);
  const problem = toProblem(facts, { instance: exchange.path, requestId: exchange.requestId });
  const own = { ...problemHeaders(problem.status, facts.retryAfterSeconds), ...headers };
  return sendResponse(exchange, problem.status, own, JSON.stringify(problem));
}

/** Selects the coding of a body. A problem is also sent to a client that accepts no coding at all. */
function selectCoding(exchange: Exchange, length: number): Coding {
  if (length === 0 || (length <= maxUncompressedBytes && acceptsIdentity(exchange))) return "identity";
  return chooseCoding(exchange) ?? "identity";
}

function toPlain(body: string | Document | undefined): Buffer | string | undefined {
  return typeof body === "object" ? body.bytes : body;
}

function toEncoded(body: string | Document | undefined, coding: Coding): Promise<Buffer> {
  return typeof body === "object" ? body.encode(coding) : encode(Buffer.from(body ?? ""), coding);
}

function isClosed(response: ServerResponse): boolean {
  return response.headersSent || response.destroyed;
}
