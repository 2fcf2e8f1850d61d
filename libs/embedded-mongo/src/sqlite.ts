import { close, fdatasync, openSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import { dataFileIn, openDataFile } from "./data-file.ts";

/** Makes what was written to a file survive a loss of power. */
export type Flush = (descriptor: number) => Promise<void>;

/** The one connection to the data file of a folder, with its prepared statements and the flushes of its log. */
export class Sqlite {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The write-ahead log, opened once more, to flush it without blocking this thread. */
  readonly #log: number | undefined;
  readonly #flush: Flush;
  #begun = false;
  #commits = 0;
  #flushed = 0;
  #flushing: Promise<void> | undefined;

  constructor(folder: string, flush: Flush = promisify(fdatasync)) {
    this.#database = openDataFile(folder);
    this.#database.exec("PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY");
    this.#log = folder === ":memory:" ? undefined : openSync(`${dataFileIn(folder)}-wal`, "r+");
    this.#flush = flush;
  }

  /** The prepared statement of an SQL text, made once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  /** Runs a statement within the SQLite transaction of the command, which begins with the first. */
  run(sql: string, ...values: SQLInputValue[]): void {
    this.#begin();
    this.statement(sql).run(...values);
  }

  execute(sql: string): void {
    this.#begin();
    this.#database.exec(sql);
  }

  #begin(): void {
    if (!this.#begun) this.statement("BEGIN IMMEDIATE").run();
    this.#begun = true;
  }

  /** Ends the SQLite transaction, if one was begun: what it did is with the operating system afterwards. */
  commit(): void {
    if (!this.#begun) return;
    this.statement("COMMIT").run();
    this.#begun = false;
    this.#commits += 1;
  }

  /** Takes everything back since the last commit; true when there was something to take back. */
  rollback(): boolean {
    if (!this.#begun) return false;
    this.#begun = false;
    if (this.#database.isTransaction) this.statement("ROLLBACK").run();
    return true;
  }

  /**
   * Resolves when everything committed until now survives a loss of power; undefined when it does already. One flush serves all
   * commits before it. A flush that failed is the last: nobody knows what of the log is on disk then.
   */
  flushed(): Promise<void> | undefined {
    return this.#log === undefined || this.#flushed === this.#commits
      ? undefined
      : this.#flushUpTo(this.#commits, this.#log);
  }

  async #flushUpTo(commits: number, log: number): Promise<void> {
    // A flush that runs may have begun before the last commits; then the next one is theirs.
    while (this.#flushed < commits) await (this.#flushing ??= this.#flushOnce(log));
  }

  async #flushOnce(log: number): Promise<void> {
    const commits = this.#commits;
    await this.#flush(log);
    this.#flushed = commits;
    this.#flushing = undefined;
  }

  /** Closes the file, once everything is flushed. */
  async close(): Promise<void> {
    await this.flushed()?.catch(() => undefined);
    if (this.#log !== undefined) await promisify(close)(this.#log);
    this.#statements.clear();
    this.#database.close();
  }
}
