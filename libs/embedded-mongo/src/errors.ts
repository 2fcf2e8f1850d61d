import type { Document } from "bson";

const codeNames = {
  InternalError: 1,
  BadValue: 2,
  FailedToParse: 9,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  IllegalOperation: 20,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  ConflictingUpdateOperators: 40,
  CursorNotFound: 43,
  NamespaceExists: 48,
  MaxTimeMSExpired: 50,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  EmptyFieldName: 56,
  CommandNotFound: 59,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  UnsatisfiableWriteConcern: 100,
  WriteConflict: 112,
  CommandNotSupported: 115,
  CannotIndexParallelArrays: 171,
  QueryPlanKilled: 175,
  TransactionTooOld: 225,
  NotImplemented: 238,
  SnapshotUnavailable: 246,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  OperationNotSupportedInTransaction: 263,
  BSONObjectTooLarge: 10334,
  DuplicateKey: 11000,
} as const;

/** The names of MongoDB's error codes that this server uses; a code without a name is called by its number. */
export type CodeName = keyof typeof codeNames | `Location${number}`;

/** An error that is sent to the client as MongoDB would send it. */
export interface ServerError extends Error {
  readonly codeName: CodeName;
  readonly code: number;
  readonly labels: readonly string[];
  readonly details: Document;
}

/** Creates (does not throw) an error with MongoDB's code for `codeName`; `details` become fields of the reply. */
export function serverError(codeName: CodeName, message: string, details: Document = {}): ServerError {
  return Object.assign(new Error(message), {
    codeName,
    code: codeName in codeNames ? codeNames[codeName as keyof typeof codeNames] : Number(/\d+/.exec(codeName)),
    labels: [] as readonly string[],
    details,
  });
}

/** The refusal of something MongoDB has and this server has not (code 238); `what` names it. */
export function notImplemented(what: string): ServerError {
  return serverError("NotImplemented", `${what} is not supported by the embedded server (see its README.md)`);
}

/** An error that makes the client run the whole transaction again. */
export function transientError(codeName: CodeName, message: string): ServerError {
  return Object.assign(serverError(codeName, message), { labels: ["TransientTransactionError"] as readonly string[] });
}

/** True for errors made by this file, also across the realms of a test runner. */
export function isServerError(error: unknown): error is ServerError {
  return typeof error === "object" && error !== null && "codeName" in error && "labels" in error;
}

/** The fields of a reply that report `error`; anything but a `ServerError` is reported as an internal error. */
export function errorReply(error: unknown): Document {
  if (!isServerError(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { ok: 0, errmsg: `internal error: ${message}`, code: codeNames.InternalError, codeName: "InternalError" };
  }
  return {
    ok: 0,
    errmsg: error.message,
    code: error.code,
    codeName: error.codeName,
    ...error.details,
    ...(error.labels.length > 0 ? { errorLabels: [...error.labels] } : {}),
  };
}
