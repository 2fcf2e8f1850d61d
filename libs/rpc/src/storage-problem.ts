import type { ConnectError } from "@connectrpc/connect";
import { unavailable } from "./errors.ts";

// The driver is for stores only: its errors are known here by their names, codes and labels.

/** The driver's own errors: the database cannot be reached, or did not answer in time. */
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
  // The write may be there, but not on as many nodes as it must be.
  "MongoWriteConcernError",
  "MongooseServerSelectionError",
  "PoolClearedOnNetworkError",
]);

/** What Node.js says of a socket that the database ended just before something was written; the driver hands it on as it is. */
const endedSocket: ReadonlySet<unknown> = new Set(["EPIPE", "ECONNRESET"]);

const outOfDiskSpace = 14031;

/** What a database answers that cannot do it now: codes of MongoDB, by their names there. */
const unableNow: ReadonlySet<unknown> = new Set([
  ...[6 /* HostUnreachable */, 7 /* HostNotFound */, 39 /* FileStreamFailed */, 50 /* MaxTimeMSExpired */],
  ...[64 /* WriteConcernFailed */, 89 /* NetworkTimeout */, 91 /* ShutdownInProgress */],
  ...[133 /* FailedToSatisfyReadPreference */, 134 /* ReadConcernMajorityNotAvailableYet */],
  ...[189 /* PrimarySteppedDown */, 262 /* ExceededTimeLimit */, 9001 /* SocketException */],
  ...[10107 /* NotWritablePrimary */, 11600 /* InterruptedAtShutdown */, 11602 /* InterruptedDueToReplStateChange */],
  ...[13435 /* NotPrimaryNoSecondaryOk */, 13436 /* NotPrimaryOrSecondary */],
]);

/** By these the driver and the database say themselves that the same may succeed another time. */
const temporary = ["RetryableWriteError", "TransientTransactionError", "UnknownTransactionCommitResult"];

/** After how long a client may find that somebody made room, in seconds. */
const roomAfterSeconds = 10;

/**
 * The status of an error of the database that is no fault of the call: Unavailable, STORAGE_FULL where the database has no space to
 * write, else STORAGE_UNAVAILABLE. Undefined for any other error.
 */
export function storageProblem(error: unknown): ConnectError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { name, code, errorLabels } = error as { name: string; code?: unknown; errorLabels?: unknown };
  const ofDriver = name.startsWith("Mongo");
  if (ofDriver && code === outOfDiskSpace) {
    const message = "The database has no space left to write. Reading goes on.";
    return unavailable("STORAGE_FULL", message, error, roomAfterSeconds);
  }
  const labels = Array.isArray(errorLabels) ? errorLabels : [];
  const unable =
    unreachable.has(name) ||
    endedSocket.has(code) ||
    (ofDriver && (unableNow.has(code) || temporary.some((label) => labels.includes(label))));
  if (!unable) return undefined;
  return unavailable("STORAGE_UNAVAILABLE", "The database cannot be used at the moment.", error);
}
