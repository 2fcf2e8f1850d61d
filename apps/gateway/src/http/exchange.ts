import type { ContextValues, Transport } from "@connectrpc/connect";
import { isRequestId, requestIdHeader } from "@switchyard/rpc";
import { parse } from "content-type";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/** An HTTP request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path as it was sent, without the query string. */
  readonly path: string;
  /** The query string without its question mark. */
  readonly query: string;
  readonly requestId: string;
  /** The headers of the response, whatever it will be. They are sent by `writeHead`. */
  readonly headers: Record<string, string>;
  /** Aborted when the client disconnects before it has received the response. */
  readonly signal: AbortSignal;
  /** Whether the client waits for "100 Continue" before it sends the body. */
  readonly expectsContinue: boolean;
}

/** A call to a service on behalf of a request. */
export interface OutgoingCall {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly header: Readonly<Record<string, string>>;
  readonly values: ContextValues;
}

/** Creates the exchange of a request. Its signal is aborted when the connection is lost. */
export function createExchange(
  request: IncomingMessage,
  response: ServerResponse,
  own: Pick<Exchange, "requestId" | "headers" | "expectsContinue">,
): Exchange {
  const path = getPath(request);
  const disconnected = new AbortController();
  response.on("close", () => {
    if (!response.writableFinished) disconnected.abort();
  });
  return {
    request,
    response,
    path,
    query: request.url?.slice(path.length + 1) ?? "",
    signal: disconnected.signal,
    ...own,
  };
}

/** Returns the path of a request as it was sent, without the query string. */
export function getPath({ url = "" }: IncomingMessage): string {
  const queryStart = url.indexOf("?");
  return queryStart < 0 ? url : url.slice(0, queryStart);
}

/** Returns the ID that the client sent in a request; a new one if it sent none, or an invalid one. */
export function getRequestId({ headers }: IncomingMessage): string {
  const sent = headers[requestIdHeader];
  return typeof sent === "string" && isRequestId(sent) ? sent : randomUUID();
}

/** Returns whether the request declares a content coding of its body. Its names are compared without case. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  return encoding !== "" && encoding !== "identity";
}

/** Returns the declared length of the body; 0 when none is declared. */
export function getDeclaredLength(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/** A media type in lower case, without its parameters, and its charset. */
export interface MediaType {
  readonly type: string;
  readonly charset: string | undefined;
}

/** Parses a Content-Type header (RFC 9110, section 8.3.1). The type is "" when the header is missing. */
export function parseMediaType(header: string | undefined): MediaType {
  const { type, parameters } = parse(header ?? "");
  const { charset } = parameters;
  return { type, charset: charset === undefined ? undefined : toCharset(charset) };
}

/** Returns the name of a charset in lower case. Many clients write that of UTF-8 without the hyphen. */
export function toCharset(name: string): string {
  const charset = name.toLowerCase();
  return charset === "utf8" ? "utf-8" : charset;
}
