import type { ContextValues, Transport } from "@connectrpc/connect";
import type { IncomingMessage, ServerResponse } from "node:http";

/** One HTTP request and its answer, with what every step needs to know of them. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The path as it was sent, without the query. */
  readonly path: string;
  /** Without its question mark. */
  readonly query: string;
  readonly requestId: string;
  /** Aborted when the client goes away before it has its answer. */
  readonly signal: AbortSignal;
  /** True when the client waits for "100 Continue" before it sends the body. */
  readonly expectsContinue: boolean;
}

/** A call to a service on behalf of a request. */
export interface OutgoingCall {
  readonly transport: Transport;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly header: Headers;
  readonly values: ContextValues;
}

/** Starts an exchange: its signal follows the connection. */
export function startExchange(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  expectsContinue: boolean,
): Exchange {
  const url = request.url ?? "";
  const question = url.indexOf("?");
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  return {
    request,
    response,
    path: question < 0 ? url : url.slice(0, question),
    query: question < 0 ? "" : url.slice(question + 1),
    requestId,
    signal: gone.signal,
    expectsContinue,
  };
}

/** Whether the request says that it has a body; one of length 0 is none. */
export function hasBody(request: IncomingMessage): boolean {
  return request.headers["transfer-encoding"] !== undefined || declaredLength(request) > 0;
}

/** The body's length as the request declares it; 0 when it does not. */
export function declaredLength(request: IncomingMessage): number {
  return Number(request.headers["content-length"] ?? 0);
}

/** The values of a header as they were sent, one for each line. */
export function headerLines(request: IncomingMessage, name: string): readonly string[] {
  const { rawHeaders } = request;
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}

/** A media type without its parameters, in lower case, and its charset. */
export interface MediaType {
  readonly type: string;
  readonly charset: string | undefined;
}

/** Reads a Content-Type header; the type is "" when there is none. */
export function parseMediaType(header: string | undefined): MediaType {
  const [type = "", ...parameters] = (header ?? "").split(";");
  const charset = parameters.map((parameter) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/i.exec(parameter)?.[1]);
  return { type: type.trim().toLowerCase(), charset: charset.find((value) => value !== undefined)?.toLowerCase() };
}
