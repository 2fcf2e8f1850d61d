import { close, fdatasync, openSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import { dataFileIn, openDataFile } from "./data-file.ts";

/** Makes what was written to a file survive a loss of power. */
export type Flush = (descriptor: number) => Promise<void>;

const mostStatements = 5000;

/** The one connection to the data file of a folder, with its prepared statements and the flushes of its log. */
export class Sqlite {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The write-ahead log, opened once more, to flush it without blocking this thread. */
  readonly #log: number | undefined;
  readonly #flush: Flush;
  /** What takes back in memory what the command did, for when it fails. */
  readonly undo: (() => void)[] = [];
  #commits = 0;
  #flushed = 0;
  #flushing: Promise<void> | undefined;

  constructor(folder: string, flush: Flush = promisify(fdatasync)) {
    this.#database = openDataFile(folder);
    this.#database.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
    this.#log = folder === ":memory:" ? undefined : openSync(`${dataFileIn(folder)}-wal`, "r+");
    this.#flush = flush;
  }

  /** The prepared statement of an SQL text, made once, or again after many others. */
  statement(sql: string): StatementSync {
    if (this.#statements.size > mostStatements) this.#statements.clear();
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  /** Runs a statement within the command's SQLite transaction, which begins with the first; returns the id it gave to a row. */
  run(sql: string, ...values: SQLInputValue[]): number {
    if (!this.#database.isTransaction) this.statement("BEGIN IMMEDIATE").run();
    return Number(this.statement(sql).run(...values).lastInsertRowid);
  }

  /** Runs one command: all it wrote is with the operating system when it returns, nothing of it when it throws. */
  unit<T>(run: () => T): T {
    try {
      const result = run();
      if (this.#database.isTransaction) {
        this.statement("COMMIT").run();
        this.#commits += 1;
      }
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.statement("ROLLBACK").run();
      for (const undo of this.undo.toReversed()) undo();
      throw error;
    } finally {
      this.undo.length = 0;
    }
  }

  /**
   * Resolves when everything committed until now survives a loss of power. One flush serves all commits before it. A flush that
   * failed is the last: nobody knows what of the log is on disk then.
   */
  async flushed(): Promise<void> {
    const [log, commits] = [this.#log, this.#commits];
    // A flush that runs may have begun before the last commits; then the next one is theirs.
    while (log !== undefined && this.#flushed < commits) await (this.#flushing ??= this.#flushOnce(log));
  }

  async #flushOnce(log: number): Promise<void> {
    const commits = this.#commits;
    await this.#flush(log);
    this.#flushed = commits;
    this.#flushing = undefined;
  }

  /** Closes the file, once everything is flushed. */
  async close(): Promise<void> {
    await this.flushed().catch(() => undefined);
    if (this.#log !== undefined) await promisify(close)(this.#log);
    this.#statements.clear();
    this.#database.close();
  }
}
