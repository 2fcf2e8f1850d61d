/**
 * How many connections wait until the server takes them. When there are more, their clients try again after a second or more. The
 * system may have a lower limit (on Linux net.core.somaxconn).
 */
export const connectionBacklog = 4_096;

/** What one port bears of its clients. Bytes and milliseconds. */
export interface PortLimits {
  /** Connections at once. A new one takes the place of one that waits for its client; see `OpenConnections.open`. */
  readonly maxConnections: number;
  /** Requests under way at once, of all connections. A new one takes the place of the one that has waited longest for its client. */
  readonly maxRequests: number;
  /** Streams of one HTTP/2 connection at once; more are refused, also before the client has heard of it. */
  readonly maxConcurrentStreams: number;
  /** Answers that wait for their readers, of all connections together; above it, those that wait longest are broken off. */
  readonly maxUnreadBytes: number;
  /** What a client may send on one HTTP/2 stream, and on one connection, before it is read. */
  readonly streamWindowBytes: number;
  readonly connectionWindowBytes: number;
  /** How long the headers of a request, or the start of an HTTP/2 connection, may take. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** How long a client may take no byte of an answer that is there. */
  readonly answerTimeoutMs: number;
  /** How long a connection may have nothing under way. */
  readonly idleTimeoutMs: number;
  /** How often an HTTP/2 connection is asked whether it lives, and how long it may take to say so. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}
