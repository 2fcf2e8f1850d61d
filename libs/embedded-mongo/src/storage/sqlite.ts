import { close, fdatasync, openSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import { getDataFilePath, openDataFile } from "./data-file.ts";
import { serverError, type ServerError } from "../errors.ts";
import { checkFrames } from "./write-ahead-log.ts";

/** Makes what was written to a file survive a loss of power. */
export type Flush = (descriptor: number) => Promise<void>;

const maxStatements = 5000;
/** SQLite's codes SQLITE_FULL and SQLITE_IOERR. */
const [full, inputOutput] = [13, 10];
/** What must fit before a full disk counts as having room again: about the largest piece that services write. */
const roomBytes = 1024 * 1024;
/** A commit that follows so many written pages also copies them to the data file, and flushes both while nobody else is served. */
const shortCheckpoints = "PRAGMA wal_autocheckpoint = 250";
const writeProbe = "INSERT OR REPLACE INTO sessions (key, number, reply, used) VALUES (?, ?, ?, ?)";

/** The one connection to the data file of a folder, with its prepared statements and the flushes of its log. */
export class Sqlite {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** The write-ahead log, opened once more, to flush it without blocking this thread. */
  readonly #log: number | undefined;
  readonly #flush: Flush;
  /** What takes back in memory what the command did, for when it fails. */
  readonly undo: (() => void)[] = [];
  /** The size of the values that were written and are not committed yet. */
  uncommittedBytes = 0;
  #commits = 0;
  #flushed = 0;
  #flushing: Promise<void> | undefined;
  #failure: ServerError | undefined;
  /** Whether a flush failed: nobody knows then what of the log is on disk. */
  #flushFailed = false;
  #healing = false;

  constructor(folder: string, flush: Flush = promisify(fdatasync)) {
    this.#database = openDataFile(folder);
    this.#database.exec(`PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY; ${shortCheckpoints}`);
    this.#log = folder === ":memory:" ? undefined : openSync(`${getDataFilePath(folder)}-wal`, "r+");
    this.#flush = flush;
  }

  /** Why the disk did not take the last thing that it should; undefined once it does again (`heal`). */
  get failure(): ServerError | undefined {
    return this.#failure;
  }

  /** Throws while nothing new can be promised to survive a loss of power: before a write, so that it is not done. */
  checkFlushes(): void {
    if (this.#flushFailed && this.#failure !== undefined) throw this.#failure;
  }

  /** The prepared statement of an SQL text, made once, or again after many others. */
  statement(sql: string): StatementSync {
    if (this.#statements.size > maxStatements) this.#statements.clear();
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  /** Runs a statement within the command's SQLite transaction, which begins with the first; returns the id it gave to a row. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#begin();
    for (const value of values) {
      if (ArrayBuffer.isView(value)) this.uncommittedBytes += value.byteLength;
    }
    return Number(this.statement(sql).run(...values).lastInsertRowid);
  }

  /** Runs a statement likewise, and returns the rows that it returns. */
  rows(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    this.#begin();
    return this.statement(sql).all(...values);
  }

  #begin(): void {
    if (!this.isWriting) this.statement("BEGIN IMMEDIATE").run();
  }

  /** Whether something was written that is not committed yet. */
  get isWriting(): boolean {
    return this.#database.isTransaction;
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
      throw this.#noted(error);
    } finally {
      this.undo.length = 0;
      this.uncommittedBytes = 0;
    }
  }

  /** Resolves when everything committed until now survives a loss of power. One flush serves all commits before it. */
  async flushed(): Promise<void> {
    const [log, commits] = [this.#log, this.#commits];
    // A flush that runs may have begun before the last commits; then the next one is theirs.
    while (log !== undefined && this.#flushed < commits) {
      this.checkFlushes();
      await (this.#flushing ??= this.#flushOnce(log));
    }
  }

  async #flushOnce(log: number): Promise<void> {
    const commits = this.#commits;
    try {
      await this.#flush(log);
      this.#flushed = Math.max(this.#flushed, commits);
    } catch (error) {
      this.#flushFailed = true;
      throw this.#noted(error, true);
    } finally {
      this.#flushing = undefined;
    }
  }

  /** The error as clients are told of it; one of the disk is remembered. */
  #noted(error: unknown, ofFlush = false): unknown {
    const { code, errcode = 0, message } = error as { code?: unknown; errcode?: number; message: string };
    const isFull = (errcode & 0xff) === full || code === "ENOSPC" || code === "EDQUOT";
    if (!isFull && !ofFlush && (errcode & 0xff) !== inputOutput) return error;
    const what = ofFlush ? `what was written could not be flushed to the disk: ${message}` : message;
    return (this.#failure = serverError(isFull ? "OutOfDiskSpace" : "FileStreamFailed", what));
  }

  /**
   * Tries whether a disk that failed works again, and forgets the failure if it does. After a flush that failed, flushing once more
   * proves nothing, for the operating system may have dropped what it could not write: so everything in the log is written to the
   * data file, which is flushed too, and the log is read again by its checksums.
   */
  async heal(): Promise<void> {
    const failure = this.#failure;
    if (failure === undefined || this.#healing) return;
    this.#healing = true;
    try {
      this.unit(() => void this.run(writeProbe, "probe", "", new Uint8Array(roomBytes), 0));
      this.unit(() => void this.run("DELETE FROM sessions WHERE key = 'probe'"));
      const commits = this.#commits;
      if (this.#flushFailed && this.#log !== undefined) {
        const { busy, log: frames = 0 } = this.statement("PRAGMA wal_checkpoint").get() as Record<string, number>;
        if (busy !== 0) throw new Error("the log is in use");
        checkFrames(this.#log, frames);
      }
      if (this.#log !== undefined) await this.#flush(this.#log);
      this.#flushed = Math.max(this.#flushed, commits);
      this.#flushFailed = false;
      this.#failure = undefined;
    } catch {
      // It is tried again; until then the failure says what is wrong.
      this.#failure ??= failure;
    } finally {
      this.#healing = false;
    }
  }

  /** Closes the file, once everything is flushed. */
  async close(): Promise<void> {
    await this.flushed().catch(() => undefined);
    if (this.#log !== undefined) await promisify(close)(this.#log);
    this.#statements.clear();
    this.#database.close();
  }
}
