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
 * Adds the headers of a failed response to the metadata of its error, which has the trailers. Errors that another process did not send stay as
 * they are, because their metadata is sent to the caller of this one.
 */
export function addReceived(error: Error, headers: Headers): void {
  if (!(error instanceof ConnectError) || !error.isWireError) return;
  const { metadata } = error;
  headers.forEach((value, name) => {
    // The trailers repeat the ID of the request.
    if (metadata.get(name) !== value) metadata.append(name, value);
  });
}

/** Adds the status of a call to its gRPC trailers: OK if there is no error, and Internal for an error that is not a status. */
export function setStatus(trailers: Headers, error?: unknown): void {
  if (error === undefined) setTrailerStatus(trailers, undefined);
  else setTrailerStatus(trailers, error instanceof ConnectError ? error : internal());
}

/**
 * Converts an error that a handler threw to the error that a caller in another process would receive. A status keeps its code,
 * message and details; anything else becomes Internal with a fixed text. Causes are dropped. `trailers` are those of the handler.
 */
export function errorOverTheWire(error: unknown, trailers: Headers): ConnectError {
  const sent = new Headers(trailers);
  setStatus(sent, error);
  return findTrailerError(sent) ?? internal();
}
