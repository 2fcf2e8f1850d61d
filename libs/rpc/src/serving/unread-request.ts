import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { Readable } from "node:stream";
import type { NodeRequest, NodeResponse } from "./node-messages.ts";

/** The maximum size of an unread body that is discarded to keep its connection open. */
const maxDiscardedBytes = 1024 * 1024;
const lingerTimeoutMs = 2_000;

/**
 * Destroys the stream of a request after its response has been sent. A response can end before its request, as for a refused upload.
 * Node.js would keep the unread stream for the lifetime of the connection, and `close` would wait for it. Every response ends with
 * trailers, even if they are empty; after them, the stream can be destroyed, which tells the client to stop sending.
 */
export function closeAfterResponse({ stream }: Pick<Http2ServerRequest, "stream">): void {
  stream.once("wantTrailers", () => setImmediate(() => stream.destroy()));
}

/** Closes the stream of an unread request whose response has only headers, and therefore no trailers. */
export function closeUnread(request: NodeRequest): void {
  if ("stream" in request && !request.stream.readableEnded) request.stream.close();
}

/**
 * Returns whether the unread rest of an HTTP/1.1 request may be too large to keep its connection open. Its response then has the header
 * `connection: close` and ends after `discardUnread`.
 */
export function isLargelyUnread(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return (
    request.headers["transfer-encoding"] !== undefined ||
    Number(request.headers["content-length"] ?? 0) > maxDiscardedBytes
  );
}

/**
 * Reads and discards the rest of a request, for at most two seconds. A socket that is closed with unread bytes is reset, and a client
 * that is still sending would not receive its response.
 */
export function discardUnread(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerTimeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once("end", done).once("close", done).once("error", done);
    // A reader that stopped early leaves a `readable` listener behind, with which a stream does not flow.
    request.removeAllListeners("readable").on("data", () => pauseForOthers(request));
    request.resume();
  });
}

/**
 * Pauses a stream after a chunk for four times as long as the current turn of the event loop takes. The more there is to do, the more time is left
 * for it. Otherwise a connection would be read as fast as its client sends, up to 2 MiB in one turn.
 */
function pauseForOthers(stream: Readable): void {
  stream.pause();
  const pausedAt = performance.now();
  setImmediate(() => setTimeout(() => stream.resume(), 4 * (performance.now() - pausedAt)));
}

/**
 * Reads the body of an HTTP/1.1 request, and calls `onRead` before the first read. Stopping early does not destroy the connection, so
 * that the response can still be sent.
 */
export async function* readBody(request: IncomingMessage, onRead: () => void): AsyncGenerator<Uint8Array, void> {
  onRead();
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
}

/**
 * Wraps a response body. Over HTTP/1.1, the rest of an unread request is discarded after it: if that may be large, before the response
 * ends, and the connection is closed. Otherwise the next request on the connection would wait behind it.
 */
export async function* lingeringBody(
  body: AsyncIterable<Uint8Array>,
  request: NodeRequest,
  response: NodeResponse,
): AsyncGenerator<Uint8Array, void> {
  if (!("stream" in request) && isLargelyUnread(request)) response.setHeader("connection", "close");
  yield* body;
  if ("stream" in request || request.complete) return;
  if (isLargelyUnread(request)) await discardUnread(request);
  // A reader that stopped early leaves a `readable` listener behind, with which a stream does not flow.
  else request.removeAllListeners("readable").resume();
}
