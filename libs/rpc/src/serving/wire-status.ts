import { ConnectError } from "@connectrpc/connect";
import { findTrailerError, setTrailerStatus } from "@connectrpc/connect/protocol-grpc";
import { internal } from "../errors.ts";

// Connect marks the two functions that this file wraps as internal. They are the only code that writes and reads
// `grpc-status-details-bin` exactly as its servers do, which transport.suite.ts verifies.

/** The name of the trailer that contains the status with its details. */
export const statusDetails = "grpc-status-details-bin";

/** Returns the error in gRPC trailers, with encoded details, or undefined if the call succeeded. */
export function errorInTrailers(trailers: Headers): ConnectError | undefined {
  return findTrailerError(trailers);
}

/**
 * Converts an error that a handler threw to the error that a caller in another process would receive. A status keeps its code,
 * message and details; anything else becomes Internal with a fixed text. Causes are dropped. `trailers` are those of the handler.
 */
export function errorOverTheWire(error: unknown, trailers: Headers): ConnectError {
  const status = error instanceof ConnectError ? error : internal();
  return findTrailerError(setTrailerStatus(new Headers(trailers), status)) ?? internal();
}
