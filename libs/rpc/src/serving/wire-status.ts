import { ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { internal } from "../errors.ts";

// The two functions of connect that this file wraps are marked as internal there. They are the only code that writes and
// reads `grpc-status-details-bin` exactly as its servers do, and transport.suite.ts holds them to it.

/** The name of the trailer that has the status with its details. */
export const statusDetails = "grpc-status-details-bin";

/** The error that gRPC trailers tell of, its details still encoded; undefined when they tell of success. */
export function errorInTrailers(trailers: Headers): ConnectError | undefined {
  return findTrailerError(trailers);
}

/**
 * What becomes of an error that a handler threw when it reaches a caller in another process: a status keeps its code,
 * message and details, anything else is Internal with a fixed text; causes stay behind. `trailers` are the handler's.
 */
export function errorOverTheWire(error: unknown, trailers: Headers): ConnectError {
  const status = error instanceof ConnectError ? error : internal();
  return findTrailerError(setTrailerStatus(new Headers(trailers), status)) ?? internal();
}
