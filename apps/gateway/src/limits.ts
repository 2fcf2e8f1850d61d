/** What the gateway bears. Bytes and milliseconds. */
export interface GatewayLimits {
  /** How long a call may take. */
  readonly deadlineMs: number;
  /** How long the headers of a request may take to arrive. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take to arrive. */
  readonly requestTimeoutMs: number;
  /** The request line and headers together. */
  readonly headerBytes: number;
  /** The request target. */
  readonly urlBytes: number;
  /** A message over Connect, gRPC-Web or gRPC; a file of 25 MiB as base64 fits. */
  readonly rpcMessageBytes: number;
  /** How often a stream of server-sent events says that it lives. */
  readonly keepAliveMs: number;
  /** How long requests under way may still take when the gateway closes. */
  readonly drainMs: number;
}

/** The limits of a gateway that is told nothing else. */
export const defaultLimits: GatewayLimits = {
  deadlineMs: 60_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  headerBytes: 16 * 1024,
  urlBytes: 8 * 1024,
  rpcMessageBytes: 36 * 1024 * 1024,
  keepAliveMs: 15_000,
  drainMs: 10_000,
};
