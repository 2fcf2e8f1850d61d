import { close, fdatasync, openSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, SQLOutputValue, StatementSync } from "node:sqlite";
import { promisify } from "node:util";
import { getDataFilePath, openDataFile } from "./data-file.ts";
import { serverError, type ServerError } from "../errors.ts";
import { checkFrames } from "./write-ahead-log.ts";

/** Flushes a file, so that what was written to it survives a power failure. */
export type Flush = (descriptor: number) => Promise<void>;

const maxStatements = 5000;
/** SQLite's codes SQLITE_FULL and SQLITE_IOERR. */
const [full, inputOutput] = [13, 10];
/** A disk that was full counts as usable again once this many bytes fit: about the largest document that services write. */
const roomBytes = 1024 * 1024;
/** After this number of pages, a commit also copies the log to the data file and flushes both, which blocks the thread. */
const shortCheckpoints = "PRAGMA wal_autocheckpoint = 250";
const writeProbe = "INSERT OR REPLACE INTO sessions (key, number, reply, used) VALUES (?, ?, ?, ?)";

/** The only connection to the data file of a folder, with its prepared statements and the flushes of its log. */
export class Sqlite {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  /** A second descriptor of the write-ahead log, to flush it without blocking this thread. */
  readonly #log: number | undefined;
  readonly #flush: Flush;
  /** Functions that undo what the command changed in memory. They run if the command fails. */
  readonly undo: (() => void)[] = [];
  /** The size of the binary values that were written and are not committed yet. */
  uncommittedBytes = 0;
  /** The number of statements so far that may have written. */
  writes = 0;
  #commits = 0;
  #flushed = 0;
  #flushing: Promise<void> | undefined;
  #failure: ServerError | undefined;
  /** Whether a flush failed. It is then unknown which part of the log is on disk. */
  #flushFailed = false;
  #healing = false;

  constructor(folder: string, flush: Flush = promisify(fdatasync)) {
    this.#database = openDataFile(folder);
    this.#database.exec(`PRAGMA cache_size = -16384; PRAGMA temp_store = MEMORY; ${shortCheckpoints}`);
    this.#log = folder === ":memory:" ? undefined : openSync(`${getDataFilePath(folder)}-wal`, "r+");
    this.#flush = flush;
  }

  /** The last error of the disk; undefined once the disk works again (see `heal`). */
  get failure(): ServerError | undefined {
    return this.#failure;
  }

  /** Throws if a flush failed and the disk has not healed. Durable writes call this before they write anything. */
  checkFlushes(): void {
    if (this.#flushFailed && this.#failure !== undefined) throw this.#failure;
  }

  /** Returns the prepared statement of an SQL text. Statements are cached. */
  statement(sql: string): StatementSync {
    if (this.#statements.size > maxStatements) this.#statements.clear();
    let statement = this.#statements.get(sql);
    if (statement === undefined) this.#statements.set(sql, (statement = this.#database.prepare(sql)));
    return statement;
  }

  /** Runs a statement in the command's SQLite transaction, which the first statement begins. Returns the id of the inserted row. */
  run(sql: string, ...values: SQLInputValue[]): number {
    this.#begin();
    for (const value of values) {
      if (ArrayBuffer.isView(value)) this.uncommittedBytes += value.byteLength;
    }
    return Number(this.statement(sql).run(...values).lastInsertRowid);
  }

  /** Runs a statement in the command's SQLite transaction and returns its rows. */
  rows(sql: string, ...values: SQLInputValue[]): Record<string, SQLOutputValue>[] {
    this.#begin();
    return this.statement(sql).all(...values);
  }

  #begin(): void {
    this.writes += 1;
    if (!this.isWriting) this.statement("BEGIN IMMEDIATE").run();
  }

  /** Whether there are writes that are not committed yet. */
  get isWriting(): boolean {
    return this.#database.isTransaction;
  }

  /** Runs a unit of work, and commits what it wrote. If it throws, everything that it wrote is rolled back. */
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
      throw this.#recordFailure(error);
    } finally {
      this.undo.length = 0;
      this.uncommittedBytes = 0;
    }
  }

  /** Resolves when everything that is committed now survives a power failure. One flush serves all commits before it. */
  async flushed(): Promise<void> {
    const [log, commits] = [this.#log, this.#commits];
    // A flush that is running may have begun before the last commits, which then need the next one.
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
      throw this.#recordFailure(error, true);
    } finally {
      this.#flushing = undefined;
    }
  }

  /** Converts an error of the disk to the error for clients, and remembers it. Returns other errors unchanged. */
  #recordFailure(error: unknown, ofFlush = false): unknown {
    const { code, errcode = 0, message } = error as { code?: unknown; errcode?: number; message: string };
    const isFull = (errcode & 0xff) === full || code === "ENOSPC" || code === "EDQUOT";
    if (!isFull && !ofFlush && (errcode & 0xff) !== inputOutput) return error;
    const what = ofFlush ? `what was written could not be flushed to the disk: ${message}` : message;
    return (this.#failure = serverError(isFull ? "OutOfDiskSpace" : "FileStreamFailed", what));
  }

  /**
   * Checks whether a disk that failed works again, and forgets the failure if it does. After a failed flush, another flush proves
   * nothing, because the operating system may have dropped what it could not write. Therefore the whole log is written to the data
   * file, the data file is flushed, and the log is read again and compared with its checksums.
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
      // The next call tries again.
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
