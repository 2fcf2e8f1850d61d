/**
 * The maximum number of connections that wait to be accepted. Clients of further connections retry after a second or more. The operating
 * system may have a lower limit (on Linux, `net.core.somaxconn`).
 */
export const connectionBacklog = 4_096;

/** The limits of a port, in bytes and milliseconds. */
export interface PortLimits {
  /** The maximum number of connections. At the limit, a new one evicts one that waits for its client; see `OpenConnections.open`. */
  readonly maxConnections: number;
  /** The maximum number of active requests. At the limit, a new one evicts the one that has waited longest for its client. */
  readonly maxRequests: number;
  /** The maximum number of concurrent streams of an HTTP/2 connection, enforced even before the client knows the limit. */
  readonly maxConcurrentStreams: number;
  /** The maximum total size of unread responses. Above it, those that have waited longest are aborted. */
  readonly maxUnreadBytes: number;
  /** The flow-control windows of an HTTP/2 stream and of a connection. */
  readonly streamWindowBytes: number;
  readonly connectionWindowBytes: number;
  /** The timeout for the headers of a request, or for the start of an HTTP/2 connection. */
  readonly headersTimeoutMs: number;
  /** The timeout for the arrival of a complete request. */
  readonly requestTimeoutMs: number;
  /** How long a client may read nothing of an available response. */
  readonly responseTimeoutMs: number;
  /** How long a connection may be idle. */
  readonly idleTimeoutMs: number;
  /** The interval of HTTP/2 pings, and the timeout for their acknowledgement. */
  readonly pingIntervalMs: number;
  readonly pingTimeoutMs: number;
}
