import { openCatalog, type Catalog, type Collection } from "./catalog.ts";
import { createDocuments, type Documents } from "./documents.ts";
import { runQuery, type Found, type Query } from "./query.ts";
import { createRecords, type Records } from "./records.ts";
import { openSqlite, type Sqlite } from "./sqlite.ts";
import { createTransactions, type Transaction, type Transactions } from "./transactions.ts";

/** The database without its protocol: everything a command works with. All calls are synchronous. */
export interface Engine {
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly records: Records;
  readonly sqlite: Sqlite;
  readonly transactions: Transactions;
  /** Runs one command: all it writes is committed when it returns, nothing of it when it throws. */
  unit<T>(run: () => T): T;
  /** The documents a query finds, as a transaction (or everybody) sees them. */
  query(transaction: Transaction | undefined, collection: Collection, query: Query): Iterable<Found>;
  /** Resolves when all commits until now survive a loss of power; undefined when they do already. */
  flushed(): Promise<void> | undefined;
  close(): void;
}

/** Opens a data folder (or ":memory:"). */
export function openEngine(folder: string, synchronous: "NORMAL" | "FULL" = "NORMAL"): Engine {
  const sqlite = openSqlite(folder, synchronous);
  const catalog = openCatalog(sqlite);
  const records = createRecords(sqlite);
  const transactions = createTransactions();
  const documents = createDocuments(catalog, records, transactions);
  return {
    catalog,
    documents,
    records,
    sqlite,
    transactions,
    unit(run) {
      try {
        const result = run();
        sqlite.commit();
        transactions.advance();
        return result;
      } catch (error) {
        if (sqlite.rollback()) catalog.reload();
        throw error;
      }
    },
    query(transaction, collection, query) {
      const differences = transaction === undefined ? undefined : transactions.differences(transaction, collection);
      return runQuery(records, collection, query, differences);
    },
    flushed: () => undefined,
    close() {
      sqlite.close();
    },
  };
}
