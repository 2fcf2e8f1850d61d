import type { Collection } from "../storage/catalog.ts";
import type { Cursors } from "../sessions/cursors.ts";
import type { Engine } from "../engine.ts";
import { serverError } from "../errors.ts";
import type { Query } from "../query/query.ts";
import type { StoredDocument } from "../storage/records.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { Transaction } from "../sessions/transactions.ts";
import { getField, isDocument, parseWholeNumber, type Document } from "../values/values.ts";

/** What commands work with. */
export interface Server {
  readonly engine: Engine;
  readonly sessions: Sessions;
  readonly cursors: Cursors;
  /** host:port, as clients reach it. */
  readonly address: () => string;
}

/** How far a bulk write has come, with what its reply tells. */
export interface BulkProgress {
  /** The number of statements that are done. */
  done: number;
  n: number;
  nModified: number;
  upserted: Document[];
  writeErrors: Document[];
}

/** The progress of a bulk write as it was stored, or of a new one. */
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

/** One command of one client. */
export interface Call extends Server {
  readonly name: string;
  readonly command: Document;
  readonly database: string;
  readonly connection: number;
  /** The session's key; always there with a transaction number. */
  readonly sessionKey: string;
  /** The transaction number; -1 without one. */
  readonly number: number;
  readonly transaction: Transaction | undefined;
  /** Of a write that the client may repeat. */
  readonly repeatable?: RepeatableWrite;
}

/** What lets a bulk write that the client may repeat pause between two statements. */
export interface RepeatableWrite {
  /** How far the write had come when it was interrupted. */
  readonly progress: BulkProgress;
  /** Stores the progress together with what the statements have written. The write may pause after it. */
  save(progress: BulkProgress): void;
}

/** The name of the collection in the command's first field. */
export function collectionName({ command, name }: Call): string {
  const collection = command[name];
  if (typeof collection === "string" && collection !== "") return collection;
  throw serverError("InvalidNamespace", `${name} needs the name of a collection`);
}

/** The command's collection, as its transaction may see it. */
export function findCollection(call: Call): Collection | undefined {
  const name = collectionName(call);
  if (call.transaction !== undefined) call.engine.transactions.checkSnapshot(call.transaction, call.database, name);
  return call.engine.catalog.find(call.database, name);
}

/** The command's collection, made if there is none. */
export function getOrCreateCollection(call: Call): Collection {
  return findCollection(call) ?? call.engine.catalog.create(call.database, collectionName(call));
}

/** The documents that a query finds in the command's collection; `undefined` where it may pause. */
export function findDocuments(call: Call, query: Query): Iterable<StoredDocument | undefined> {
  const collection = findCollection(call);
  return collection === undefined ? [] : call.engine.query(call.transaction, collection, query);
}

/** An array of documents in a command's field. */
export function parseDocuments(command: Document, name: string): Document[] {
  const value = getField(command, name);
  if (!Array.isArray(value) || value.length === 0 || !value.every(isDocument)) {
    throw serverError("InvalidLength", `'${name}' must be an array of at least one document`);
  }
  return value;
}
