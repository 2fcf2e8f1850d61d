import { decimal } from "@switchyard/environment";
import type { PortLimits } from "@switchyard/rpc";
import { z } from "zod";

/** The limits of the gateway, in bytes and milliseconds. Those of `PortLimits` apply to each of its two ports. */
export interface GatewayLimits extends PortLimits {
  /** The maximum duration of a call. */
  readonly deadlineMs: number;
  /** How many calls of one method run at the same time, not counting those with a response stream. */
  readonly maxCallsPerMethod: number;
  /** How many more calls of one method may wait. Further calls are refused at once. */
  readonly maxWaitingPerMethod: number;
  /** How long a call waits before it is refused. Under overload, this bounds the wait and the call together. */
  readonly maxCallWaitMs: number;
  /** How long requests may wait before they are started. While they wait for longer, further ones are refused at once. */
  readonly maxQueueWaitMs: number;
  /** The latency that calls of a method should have under overload. The number of concurrent calls is reduced to reach it. */
  readonly targetLatencyMs: number;
  /** The maximum size of the request line and headers together. */
  readonly headerBytes: number;
  /** The maximum size of the request target. */
  readonly urlBytes: number;
  /** The maximum size of a message over Connect, gRPC-Web or gRPC to a method that takes a file. A file of 25 MiB as base64 fits. */
  readonly rpcMessageBytes: number;
  /** How much memory the bodies of requests may take at the same time, on both ports together. */
  readonly maxBodyBytes: number;
  /** How long a request may wait for memory for its body. */
  readonly bodyTimeoutMs: number;
  /** The interval of the keep-alive comments in a stream of server-sent events. */
  readonly keepAliveIntervalMs: number;
  /** The time limit for requests in progress when the gateway closes, in milliseconds. */
  readonly closeGraceMs: number;
}

const mebibyte = 1024 * 1024;

/** The default limits. */
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
  maxQueueWaitMs: 500,
  targetLatencyMs: 500,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  responseTimeoutMs: 60_000,
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

/** The environment variables that set some of the limits. */
export const limitVariables = {
  SWITCHYARD_MAX_CONNECTIONS: decimal(z.number().int().min(10).max(100_000)).default(defaultLimits.maxConnections),
  SWITCHYARD_UPLOAD_MEMORY: decimal(z.number().int().min(40).max(65_536)).default(
    defaultLimits.maxBodyBytes / mebibyte,
  ),
  SWITCHYARD_REQUEST_TIMEOUT_SECONDS: decimal(z.number().int().min(1).max(3_600)).default(
    defaultLimits.requestTimeoutMs / 1_000,
  ),
};

/** Converts the environment variables to limits. The deadline of calls is the request timeout, but never less than its default. */
export function limitSettings(values: { [Name in keyof typeof limitVariables]: number }): Partial<GatewayLimits> {
  const requestTimeoutMs = values.SWITCHYARD_REQUEST_TIMEOUT_SECONDS * 1_000;
  return {
    maxConnections: values.SWITCHYARD_MAX_CONNECTIONS,
    maxRequests: 2 * values.SWITCHYARD_MAX_CONNECTIONS,
    maxBodyBytes: values.SWITCHYARD_UPLOAD_MEMORY * mebibyte,
    requestTimeoutMs,
    deadlineMs: Math.max(requestTimeoutMs, defaultLimits.deadlineMs),
  };
}
