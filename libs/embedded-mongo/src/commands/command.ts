import type { Collection } from "../storage/catalog.ts";
import type { Cursors } from "../sessions/cursors.ts";
import type { Engine } from "../engine.ts";
import { serverError } from "../errors.ts";
import type { Query } from "../query/query.ts";
import type { StoredDocument } from "../storage/records.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Transaction } from "../sessions/transactions.ts";
import { getField, isDocument, parseWholeNumber, type Document } from "../values/values.ts";

/** The parts of the server that commands use. */
export interface Server {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly cursors: Cursors;
  /** Returns the address of the server for clients, as host:port. */
  readonly address: () => string;
}

/** The progress of a bulk write, and the contents of its reply. */
export interface BulkProgress {
  /** The number of completed statements. */
  done: number;
  n: number;
  nModified: number;
  upserted: Document[];
  writeErrors: Document[];
}

/** Converts the stored progress of a bulk write, or creates a new one. */
export function toProgress(stored: Document = {}): BulkProgress {
  const { done = 0, n = 0, nModified = 0, upserted = [], writeErrors = [] } = stored;
  return {
    done: parseWholeNumber(done, "done"),
    n: parseWholeNumber(n, "n"),
    nModified: parseWholeNumber(nModified, "nModified"),
    upserted: upserted as Document[],
    writeErrors: writeErrors as Document[],
  };
}

/** A command of a client. */
export interface Call extends Server {
  readonly name: string;
  readonly command: Document;
  readonly database: string;
  readonly connection: number;
  /** The key of the session. It is set if there is a transaction number. */
  readonly sessionKey: string;
  /** The transaction number, or -1 if there is none. */
  readonly number: number;
  readonly transaction: Transaction | undefined;
  /** The state of a retryable write. */
  readonly repeatable?: RepeatableWrite;
}

/** The state with which a retryable bulk write can pause between two statements. */
export interface RepeatableWrite {
  /** The progress of the write when it was interrupted. */
  readonly progress: BulkProgress;
  /** Stores the progress together with the writes of the statements. The command may pause afterwards. */
  save(progress: BulkProgress): void;
}

/** Returns the name of the collection in the command's first field. */
export function collectionName({ command, name }: Call): string {
  const collection = command[name];
  if (typeof collection === "string" && collection !== "") return collection;
  throw serverError("InvalidNamespace", `${name} needs the name of a collection`);
}

/** Returns the command's collection, if it exists for its transaction. */
export function findCollection(call: Call): Collection | undefined {
  const name = collectionName(call);
  if (call.transaction !== undefined) call.engine.transactions.checkSnapshot(call.transaction, call.database, name);
  return call.engine.catalog.find(call.database, name);
}

/** Returns the command's collection, and creates it if it does not exist. */
export function getOrCreateCollection(call: Call): Collection {
  return findCollection(call) ?? call.engine.catalog.create(call.database, collectionName(call));
}

/** Yields the documents that a query finds in the command's collection, and `undefined` when it may pause. */
export function findDocuments(call: Call, query: Query): Iterable<StoredDocument | undefined> {
  const collection = findCollection(call);
  return collection === undefined ? [] : call.engine.query(call.transaction, collection, query);
}

/** Parses an array of documents in a field of a command. */
export function parseDocuments(command: Document, name: string): Document[] {
  const value = getField(command, name);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isDocument)) {
    throw serverError("InvalidLength", `'${name}' must be an array of at least one document`);
  }
  return value;
}
