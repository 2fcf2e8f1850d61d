import type { Collection } from "../storage/catalog.ts";
import type { Cursors } from "../sessions/cursors.ts";
import type { Engine } from "../engine.ts";
import { serverError } from "../errors.ts";
import type { Query } from "../query/query.ts";
import type { StoredDocument } from "../storage/records.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Transaction } from "../sessions/transactions.ts";
import { getField, isDocument, type Document } from "../values/values.ts";
import type { BulkProgress } from "./bulk-progress.ts";

/** The parts of the server that commands use. */
export interface Server {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly cursors: Cursors;
  /** Returns the address of the server for clients, as host:port. */
  readonly address: () => string;
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
