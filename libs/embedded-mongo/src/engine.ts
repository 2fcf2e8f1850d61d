import { Catalog, type Collection } from "./storage/catalog.ts";
import { Documents } from "./storage/documents.ts";
import type { Matcher } from "./query/matcher.ts";
import { readDocument, runQuery, type Place, type Query, type View } from "./query/query.ts";
import { Records, type StoredDocument, type RowCounter } from "./storage/records.ts";
import { Sqlite, type Flush } from "./storage/sqlite.ts";
import { Transactions, type Transaction } from "./sessions/transactions.ts";
import { TimeSlices } from "./scheduling/time-slices.ts";

/** The database without its protocol. */
export class Engine {
  readonly sqlite: Sqlite;
  readonly catalog: Catalog;
  readonly records: Records;
  readonly transactions = new Transactions();
  readonly timeSlices: TimeSlices;
  readonly documents: Documents;

  /** Opens a data folder (or ":memory:"). `flush` is fdatasync by default; `timeSliceMs` is the duration of a time slice. */
  constructor(folder: string, flush?: Flush, timeSliceMs?: number) {
    this.sqlite = new Sqlite(folder, flush);
    this.timeSlices = new TimeSlices(timeSliceMs, () => this.sqlite.uncommittedBytes);
    this.catalog = new Catalog(this.sqlite);
    this.records = new Records(this.sqlite);
    this.documents = new Documents(this.catalog, this.records, this.transactions);
  }

  /**
   * Returns the documents that a query finds, as a transaction sees them, or the committed ones without a transaction. Yields `undefined`
   * where it may pause. After a pause, it continues with what is committed at that time, or with what the transaction sees.
   */
  query(
    transaction: Transaction | undefined,
    collection: Collection,
    query: Query,
    counter?: RowCounter,
  ): Iterable<StoredDocument | undefined> {
    const view = this.#getView(transaction, collection);
    const isOver = (): boolean => this.timeSlices.isOver;
    return runQuery(this.records, collection, query, { isOver, view, ...(counter && { counter }) });
  }

  /** Returns the current version of a document that was found; undefined if it was removed or no longer matches. */
  current(
    transaction: Transaction | undefined,
    collection: Collection,
    matches: Matcher,
    found: Place,
  ): StoredDocument | undefined {
    return readDocument(this.records, collection, matches, found, this.#getView(transaction, collection));
  }

  #getView(transaction: Transaction | undefined, collection: Collection): View | undefined {
    return transaction && (() => this.transactions.getDifferences(transaction, collection));
  }
}
