import type { Document } from "bson";

const codes = {
  ...{ InternalError: 1, BadValue: 2, FailedToParse: 9, Unauthorized: 13, TypeMismatch: 14, Overflow: 15 },
  ...{ InvalidLength: 16, InvalidBSON: 22, NamespaceNotFound: 26, IndexNotFound: 27, FileStreamFailed: 39 },
  ...{ PathNotViable: 28, ConflictingUpdateOperators: 40, CursorNotFound: 43, NamespaceExists: 48 },
  NotExactValueField: 111,
  ...{ MaxTimeMSExpired: 50, DollarPrefixedFieldName: 52, InvalidIdField: 53, NotSingleValueField: 54 },
  ...{ EmptyFieldName: 56, ImmutableField: 66, CannotCreateIndex: 67, InvalidOptions: 72, InvalidNamespace: 73 },
  ...{
    IndexOptionsConflict: 85,
    IndexKeySpecsConflict: 86,
    ShutdownInProgress: 91,
    WriteConflict: 112,
    CommandNotSupported: 115,
  },
  ...{ CannotIndexParallelArrays: 171, QueryPlanKilled: 175, TransactionTooOld: 225, NotImplemented: 238 },
  ...{ SnapshotUnavailable: 246, NoSuchTransaction: 251, TooManyLogicalSessions: 261 },
  ...{
    OperationNotSupportedInTransaction: 263,
    BSONObjectTooLarge: 10334,
    ClientDisconnect: 279,
    DuplicateKey: 11000,
    CursorInUse: 12051,
    OutOfDiskSpace: 14031,
  },
};

/** The names of MongoDB's error codes that this server uses. A code without a name is identified by its number. */
export type CodeName = keyof typeof codes | `Location${number}`;

/** An error that is sent to the client like an error of MongoDB. `details` become fields of the reply. */
export class ServerError extends Error {
  readonly codeName: CodeName;
  readonly details: Document;

  constructor(codeName: CodeName, message: string, details: Document = {}) {
    super(message);
    this.codeName = codeName;
    this.details = details;
  }
}

/** Creates an error with MongoDB's code for `codeName`. `details` become fields of the reply. */
export function serverError(codeName: CodeName, message: string, details?: Document): ServerError {
  return new ServerError(codeName, message, details);
}

/** Creates the error for a feature of MongoDB that this server does not support (code 238). `what` names the feature. */
export function notImplemented(what: string): ServerError {
  return serverError("NotImplemented", `${what} is not supported by the embedded server (see its README.md)`);
}

/** Throws if there are fields that are not in `known`, unless their value has no effect (false or null). */
export function checkFields(what: string, document: Document, known: readonly string[]): void {
  for (const [name, value] of Object.entries(document)) {
    if (!known.includes(name) && value !== false && value !== null && value !== undefined) {
      throw notImplemented(`the option ${name} of ${what}`);
    }
  }
}

/** Creates an error after which the client repeats the whole transaction. */
export function transientError(codeName: CodeName, message: string): ServerError {
  return serverError(codeName, message, { errorLabels: ["TransientTransactionError"] });
}

/**
 * Returns the fields of a reply that report an error: its code and message. Any error other than a `ServerError` is a bug, and is reported
 * as an internal error.
 */
export function toErrorFields(error: unknown): Document {
  const known = error instanceof ServerError ? error : serverError("InternalError", `internal error: ${String(error)}`);
  const { codeName, message, details } = known;
  const code = (codes as { [name: string]: number })[codeName] ?? Number(codeName.slice("Location".length));
  return { errmsg: message, code, codeName, ...details };
}
