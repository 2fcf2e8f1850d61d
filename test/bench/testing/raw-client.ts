import { connect } from "node:net";

/** The parts of a response that a load generator needs. */
export interface RawResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Whether the response has a `Retry-After` header. */
  readonly hasRetryAfter: boolean;
}

/** A connection over which one request is sent at a time. */
export interface RawClient {
  send(request: Buffer): void;
  end(): void;
}

/**
 * Opens a connection to a port of this machine. Calls `ready` as soon as the first request can be sent, `responded` after each response, and
 * `closed` at the end. It takes a small fraction of the processor time that `node:http` takes.
 */
export function openRawClient(
  port: number,
  on: { ready(): void; responded(response: RawResponse): void; closed(): void },
): RawClient {
  let received = Buffer.alloc(0);
  const socket = connect({ port, host: "127.0.0.1", noDelay: true });
  socket.on("connect", () => on.ready());
  socket.on("error", () => undefined);
  socket.on("close", () => on.closed());
  socket.on("data", (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    const response = parseResponse(received);
    if (response === undefined) return;
    received = Buffer.alloc(0);
    on.responded(response);
  });
  return { send: (request) => void socket.write(request), end: () => void socket.end() };
}

/** Parses a response with a Content-Length; undefined while it is incomplete. For speed, the headers are not decoded to a string. */
function parseResponse(bytes: Buffer): RawResponse | undefined {
  const end = bytes.indexOf("\r\n\r\n");
  const name = "\r\ncontent-length: ";
  const length = bytes.indexOf(name);
  if (end < 0) return undefined;
  if (length < 0 || length > end) throw new Error("A response has no Content-Length");
  const begin = end + 4;
  const bodyEnd = begin + parseDigits(bytes, length + name.length);
  if (bytes.length < bodyEnd) return undefined;
  const retryAfter = bytes.indexOf("\r\nretry-after: ");
  const hasRetryAfter = retryAfter >= 0 && retryAfter < end;
  return { status: parseDigits(bytes, "HTTP/1.1 ".length), body: bytes.subarray(begin, bodyEnd), hasRetryAfter };
}

function parseDigits(bytes: Buffer, at: number): number {
  let value = 0;
  for (let index = at; ; index += 1) {
    const digit = (bytes[index] ?? 0) - 48;
    if (digit < 0 || digit > 9) return value;
    value = 10 * value + digit;
  }
}
