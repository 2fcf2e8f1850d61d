import { z } from "zod";
import type { PortLimits } from "@switchyard/rpc";

/** What the gateway bears. Bytes and milliseconds; those of `PortLimits` hold for each of its two ports. */
export interface GatewayLimits extends PortLimits {
  /** How long a call may take. */
  readonly deadlineMs: number;
  /** How many calls of one method are under way at a time, not counting those whose answer is a stream. */
  readonly maxCallsPerMethod: number;
  /** How many more of them wait for their turn; any more are refused at once. */
  readonly maxWaitingPerMethod: number;
  /** How long one waits for its turn before it is refused; while others of its method are refused, until it would be answered. */
  readonly maxCallWaitMs: number;
  /** How long calls of a method are to take while others of it are refused: fewer are under way at a time then. */
  readonly targetLatencyMs: number;
  /** The request line and headers together. */
  readonly headerBytes: number;
  /** The request target. */
  readonly urlBytes: number;
  /** A message over Connect, gRPC-Web or gRPC; a file of 25 MiB as base64 fits. */
  readonly rpcMessageBytes: number;
  /** The bodies of requests that are in memory at once, on both ports together. */
  readonly maxBodyBytes: number;
  /** How long a request may wait for room for its body. */
  readonly bodyTimeoutMs: number;
  /** How often a stream of server-sent events says that it lives. */
  readonly keepAliveIntervalMs: number;
  /** How long requests under way may still take when the gateway closes. */
  readonly closeGraceMs: number;
}

const mebibyte = 1024 * 1024;

/** The limits of a gateway that is told nothing else. */
export const defaultLimits: GatewayLimits = {
  deadlineMs: 60_000,
  maxConnections: 1_000,
  maxRequests: 2_000,
  maxConcurrentStreams: 100,
  maxUnreadBytes: 64 * 1024 * 1024,
  streamWindowBytes: 256 * 1024,
  connectionWindowBytes: 1024 * 1024,
  maxCallsPerMethod: 32,
  maxWaitingPerMethod: 64,
  maxCallWaitMs: 2_000,
  targetLatencyMs: 500,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  answerTimeoutMs: 60_000,
  idleTimeoutMs: 300_000,
  pingIntervalMs: 30_000,
  pingTimeoutMs: 15_000,
  headerBytes: 16 * 1024,
  urlBytes: 8 * 1024,
  rpcMessageBytes: 36 * 1024 * 1024,
  maxBodyBytes: 128 * 1024 * 1024,
  bodyTimeoutMs: 10_000,
  keepAliveIntervalMs: 15_000,
  closeGraceMs: 10_000,
};

/** The variables of the environment by which an operator sets some of them. */
export const limitVariables = {
  SWITCHYARD_MAX_CONNECTIONS: z.coerce.number().int().min(10).max(100_000).default(defaultLimits.maxConnections),
  SWITCHYARD_MAX_BODY_MEGABYTES: z.coerce
    .number()
    .int()
    .min(40)
    .max(65_536)
    .default(defaultLimits.maxBodyBytes / mebibyte),
  SWITCHYARD_REQUEST_TIMEOUT_SECONDS: z.coerce
    .number()
    .int()
    .min(1)
    .max(3_600)
    .default(defaultLimits.requestTimeoutMs / 1_000),
};

/** The limits in variables that were read. A call may take as long as its request may take to arrive, and no less than by default. */
export function limitSettings(values: { [Name in keyof typeof limitVariables]: number }): Partial<GatewayLimits> {
  const requestTimeoutMs = values.SWITCHYARD_REQUEST_TIMEOUT_SECONDS * 1_000;
  return {
    maxConnections: values.SWITCHYARD_MAX_CONNECTIONS,
    maxRequests: 2 * values.SWITCHYARD_MAX_CONNECTIONS,
    maxBodyBytes: values.SWITCHYARD_MAX_BODY_MEGABYTES * mebibyte,
    requestTimeoutMs,
    deadlineMs: Math.max(requestTimeoutMs, defaultLimits.deadlineMs),
  };
}
