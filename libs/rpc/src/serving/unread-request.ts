import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import type { NodeRequest, NodeResponse } from "./request-handler.ts";

/** Up to this size, a body that nobody reads is thrown away, and its connection kept. */
const smallBodyBytes = 1024 * 1024;
const lingerTimeoutMs = 2_000;

/**
 * An answer may end before its request does: a refused upload. Node keeps the stream of a request that is not read to
 * its end, with what has arrived of it, for as long as the connection lives, and `close` would wait for it. Trailers end
 * every answer, empty ones too; once they have left, the stream can go, and the client hears that the rest is not wanted.
 */
export function closeOnceAnswered({ stream }: Http2ServerRequest): void {
  stream.once("wantTrailers", () => setImmediate(() => stream.destroy()));
}

/** The same for an answer of headers only, which has no trailers. */
export function closeUnread(request: NodeRequest): void {
  if ("stream" in request && !request.stream.readableEnded) request.stream.close();
}

/**
 * Whether so much of the body of an HTTP/1.1 request is still to come that its connection is not worth keeping. Such an
 * answer says `connection: close`, and ends after `discardUnread`.
 */
export function isLargelyUnread(request: IncomingMessage): boolean {
  if (request.complete) return false;
  return (
    request.headers["transfer-encoding"] !== undefined ||
    Number(request.headers["content-length"] ?? 0) > smallBodyBytes
  );
}

/**
 * Reads what is left of a request and throws it away, for two seconds at most: a socket that is closed with unread bytes
 * is reset, and a client that is still sending would not see its answer.
 */
export function discardUnread(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, lingerTimeoutMs);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    request.once("end", done).once("close", done).once("error", done);
    // A reader that stopped early still listens, and a stream with such a listener does not flow.
    request.removeAllListeners("readable").resume();
  });
}

/**
 * The body of an HTTP/1.1 request; `asked` is called before the first byte of it is wanted. Whoever stops reading it early
 * leaves the connection, and so the answer, sound.
 */
export async function* readBody(request: IncomingMessage, asked: () => void): AsyncGenerator<Uint8Array, void> {
  asked();
  yield* request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
}

/** The body of an answer; over HTTP/1.1 it does not end at once while the client is still sending a request that nobody reads. */
export async function* lingeringBody(
  body: AsyncIterable<Uint8Array>,
  request: NodeRequest,
  response: NodeResponse,
): AsyncGenerator<Uint8Array, void> {
  if (!("stream" in request) && isLargelyUnread(request)) response.setHeader("connection", "close");
  yield* body;
  if (!("stream" in request) && isLargelyUnread(request)) await discardUnread(request);
}
