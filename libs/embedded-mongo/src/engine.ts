import { Catalog, type Collection } from "./catalog.ts";
import { Documents } from "./documents.ts";
import { runQuery, type Query } from "./query.ts";
import { Records, type Found } from "./records.ts";
import { Sqlite, type Flush } from "./sqlite.ts";
import { Transactions, type Transaction } from "./transactions.ts";

/** The database without its protocol: everything a command works with. */
export class Engine {
  readonly sqlite: Sqlite;
  readonly catalog: Catalog;
  readonly records: Records;
  readonly transactions = new Transactions();
  readonly documents: Documents;

  /** Opens a data folder (or ":memory:"); `flush` is fdatasync unless given. */
  constructor(folder: string, flush?: Flush) {
    this.sqlite = new Sqlite(folder, flush);
    this.catalog = new Catalog(this.sqlite);
    this.records = new Records(this.sqlite);
    this.documents = new Documents(this.catalog, this.records, this.transactions);
  }

  /** The documents a query finds, as a transaction (or everybody) sees them. */
  query(transaction: Transaction | undefined, collection: Collection, query: Query): Iterable<Found> {
    const differences = transaction === undefined ? undefined : this.transactions.differences(transaction, collection);
    return runQuery(this.records, collection, query, differences);
  }
}
