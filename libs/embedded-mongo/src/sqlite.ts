import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** The one connection to the file, with its prepared statements. */
export interface Sqlite {
  /** The prepared statement of an SQL text, made once. */
  statement(sql: string): StatementSync;
  run(sql: string, ...values: SQLInputValue[]): void;
  execute(sql: string): void;
  /** Makes sure that what follows belongs to one SQLite transaction. */
  begin(): void;
  /** Ends the transaction, if one was begun: what it did is on disk (or with the operating system) afterwards. */
  commit(): void;
  /** Takes everything back since `begin`; true when there was something to take back. */
  rollback(): boolean;
  close(): void;
}

/**
 * Opens (and creates) the data file of a folder, and locks it: a second server on the same folder fails with an error
 * that names it. The lock is SQLite's own on the open file, so the operating system drops it with the process.
 */
export function openSqlite(folder: string, synchronous: "NORMAL" | "FULL"): Sqlite {
  if (folder !== ":memory:") mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(folder === ":memory:" ? ":memory:" : join(folder, "embedded-mongo.sqlite"));
  const statements = new Map<string, StatementSync>();
  let begun = false;

  try {
    // Exclusive before the first access: SQLite then keeps the lock until the file is closed.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    database.exec("PRAGMA journal_mode = WAL");
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    database.exec("PRAGMA cache_size = -65536");
    database.exec("PRAGMA temp_store = MEMORY");
    database.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    database.close();
    if (error instanceof Error && /database is locked|SQLITE_BUSY/.test(error.message)) {
      throw new Error(`the data folder ${folder} is in use by another embedded server`, { cause: error });
    }
    throw error;
  }

  const sqlite: Sqlite = {
    statement(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        statements.set(sql, statement);
      }
      return statement;
    },
    run(sql, ...values) {
      sqlite.begin();
      sqlite.statement(sql).run(...values);
    },
    execute(sql) {
      sqlite.begin();
      database.exec(sql);
    },
    begin() {
      if (begun) return;
      sqlite.statement("BEGIN IMMEDIATE").run();
      begun = true;
    },
    commit() {
      if (!begun) return;
      sqlite.statement("COMMIT").run();
      begun = false;
    },
    rollback() {
      if (!begun) return false;
      begun = false;
      if (database.isTransaction) sqlite.statement("ROLLBACK").run();
      return true;
    },
    close() {
      statements.clear();
      database.close();
    },
  };
  return sqlite;
}
