import { Buffer } from "node:buffer";
import { Catalog, type Collection } from "./storage/catalog.ts";
import { Documents } from "./storage/documents.ts";
import type { Matcher } from "./query/matcher.ts";
import { runQuery, type Query, type View } from "./query/query.ts";
import { toStoredDocument, Records, type StoredDocument, type RowCounter } from "./storage/records.ts";
import { Sqlite, type Flush } from "./storage/sqlite.ts";
import { Transactions, type Transaction } from "./sessions/transactions.ts";
import { TimeSlices } from "./scheduling/time-slices.ts";

/** The database without its protocol: everything a command works with. */
export class Engine {
  readonly sqlite: Sqlite;
  readonly catalog: Catalog;
  readonly records: Records;
  readonly transactions = new Transactions();
  readonly timeSlices: TimeSlices;
  readonly documents: Documents;

  /** Opens a data folder (or ":memory:"); `flush` is fdatasync unless given, `timeSliceMs` how long a command works before others. */
  constructor(folder: string, flush?: Flush, timeSliceMs?: number) {
    this.sqlite = new Sqlite(folder, flush);
    this.timeSlices = new TimeSlices(timeSliceMs, () => this.sqlite.uncommittedBytes);
    this.catalog = new Catalog(this.sqlite);
    this.records = new Records(this.sqlite);
    this.documents = new Documents(this.catalog, this.records, this.transactions);
  }

  /**
   * The documents a query finds, as a transaction (or everybody) sees them; `undefined` where it may pause. It goes on with what is
   * committed then, a transaction with what it sees.
   */
  query(
    transaction: Transaction | undefined,
    collection: Collection,
    query: Query,
    counter?: RowCounter,
  ): Iterable<StoredDocument | undefined> {
    const view = transaction && this.#createView(transaction, collection);
    const isOver = (): boolean => this.timeSlices.isOver;
    return runQuery(this.records, collection, query, { isOver, view, ...(counter && { counter }) });
  }

  /** A document that was found, as it is now; undefined when it is gone, or changed and does not match any more. */
  current(collection: Collection, matches: Matcher, found: StoredDocument): StoredDocument | undefined {
    const body = this.records.read(collection, found.record);
    if (body === undefined || Buffer.compare(body, found.body) === 0) return body && found;
    const now = toStoredDocument(found.record, body);
    return matches(now.document(), now) ? now : undefined;
  }

  #createView(transaction: Transaction, collection: Collection): View {
    let turn: number | undefined;
    let differences: ReturnType<View> = new Map();
    return () => {
      if (turn !== this.timeSlices.count) differences = this.transactions.getDifferences(transaction, collection);
      turn = this.timeSlices.count;
      return differences;
    };
  }
}
