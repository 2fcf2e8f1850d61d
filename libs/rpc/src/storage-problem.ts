import type { ConnectError } from "@connectrpc/connect";
import { unavailable } from "./errors.ts";

// Only stores may import the driver, so its errors are recognized by their names, codes and labels.

/** The driver's errors for a database that cannot be reached or does not respond in time. */
const unreachable: ReadonlySet<unknown> = new Set([
  "MongoClientClosedError",
  "MongoNetworkError",
  "MongoNetworkTimeoutError",
  "MongoNotConnectedError",
  "MongoOperationTimeoutError",
  "MongoPoolClearedError",
  "MongoPoolClosedError",
  "MongoServerSelectionError",
  "MongoTopologyClosedError",
  "MongoWaitQueueTimeoutError",
  // The write may exist, but not on the required number of nodes.
  "MongoWriteConcernError",
  "MongooseServerSelectionError",
  "PoolClearedOnNetworkError",
]);

/** Node.js errors for a socket that the database closed just before a write. The driver does not wrap them. */
const endedSocket: ReadonlySet<unknown> = new Set(["EPIPE", "ECONNRESET"]);

const outOfDiskSpace = 14031;

/** MongoDB error codes that mean that the database is temporarily unable to execute an operation. */
const temporaryErrorCodes: ReadonlySet<unknown> = new Set([
  ...[6 /* HostUnreachable */, 7 /* HostNotFound */, 39 /* FileStreamFailed */, 50 /* MaxTimeMSExpired */],
  ...[64 /* WriteConcernFailed */, 89 /* NetworkTimeout */, 91 /* ShutdownInProgress */],
  ...[133 /* FailedToSatisfyReadPreference */, 134 /* ReadConcernMajorityNotAvailableYet */],
  ...[189 /* PrimarySteppedDown */, 262 /* ExceededTimeLimit */, 388 /* TransactionTooLargeForCache */],
  ...[9001 /* SocketException */],
  ...[10107 /* NotWritablePrimary */, 11600 /* InterruptedAtShutdown */, 11602 /* InterruptedDueToReplStateChange */],
  ...[13435 /* NotPrimaryNoSecondaryOk */, 13436 /* NotPrimaryOrSecondary */],
]);

/** The error labels that mean that a retry may succeed. */
const retryableLabels = ["RetryableWriteError", "TransientTransactionError", "UnknownTransactionCommitResult"];

/** The retry delay, in seconds, that clients are given when the disk is full. */
const diskFullRetrySeconds = 10;

/**
 * Converts a database error that the call did not cause to Unavailable: `STORAGE_FULL` if the database has no disk space left, and
 * `STORAGE_UNAVAILABLE` otherwise. Returns undefined for any other error.
 */
export function storageProblem(error: unknown): ConnectError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, code, errorLabels } = error as { name: string; code?: unknown; errorLabels?: unknown };
  const isDriverError = name.startsWith("Mongo");
  if (isDriverError && code === outOfDiskSpace) {
    const message = "The database has no disk space left. Reads still work.";
    return unavailable("STORAGE_FULL", message, error, diskFullRetrySeconds);
  }
  const labels = Array.isArray(errorLabels) ? errorLabels : [];
  const isUnavailable =
    unreachable.has(name) ||
    endedSocket.has(code) ||
    (isDriverError && (temporaryErrorCodes.has(code) || retryableLabels.some((label) => labels.includes(label))));
  if (!isUnavailable) return undefined;
  return unavailable("STORAGE_UNAVAILABLE", "The database cannot be used at the moment.", error);
}
