import type { Engine } from "../engine.ts";
import { serverError, transientError } from "../errors.ts";
import type { Transaction } from "./transactions.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import { decode, encode, type Document } from "../values/values.ts";

/** The open transaction of a session. */
interface Open {
  readonly number: number;
  readonly transaction: Transaction;
  /** The connections that used the transaction. */
  readonly connections: Set<number>;
}

/** What is stored of a write: its reply, or how far it came before it was interrupted. */
interface StoredWrite {
  readonly reply?: Uint8Array;
  readonly stored?: Document;
  /** The details in the order in which they were added. */
  readonly details?: readonly Document[];
}

/** Lists of what the statements of a write have added to its reply. */
type Details = Readonly<Record<string, readonly Document[]>>;

/** The sessions of a server. */
export type Sessions = ReturnType<typeof openSessions>;

const maxOpen = 10_000;

/**
 * Opens the sessions of a data file. The last write or committed transaction of each session is on disk, stored together with its changes,
 * so a client that did not get the reply gets the same one again, even after the server was killed. Open transactions are only in memory.
 */
export function openSessions({ sqlite, transactions, timeSlices }: Engine) {
  const open = new Map<string, Open>();
  /** The locks of sessions, each of which resolves when it is released. */
  const locks = new Map<string, Promise<void>>();

  /**
   * Returns the stored outcome of a session's transaction number, or undefined if the number is new. Throws if the session has a later
   * number.
   */
  function getOutcome(key: string, number: number): Record<string, unknown> | undefined {
    const row = sqlite.statement("SELECT number, reply FROM sessions WHERE key = ?").get(key);
    const last = row === undefined ? -1 : Number(row["number"]);
    if (number < last || number < (open.get(key)?.number ?? -1)) {
      const text = `the transaction number ${number} is older than the session's last one`;
      throw serverError("TransactionTooOld", text);
    }
    return number === last ? row : undefined;
  }

  /** Aborts the session's open transaction, if there is one and it has this number, and releases what it locked. */
  function abort(key: string, number?: number): void {
    const known = open.get(key);
    if (known === undefined || known.number !== (number ?? known.number)) return;
    open.delete(key);
    transactions.end(known.transaction);
  }

  function store(key: string, number: number, reply: Uint8Array | null): void {
    const sql = "INSERT OR REPLACE INTO sessions (key, number, reply, used) VALUES (?, ?, ?, ?)";
    sqlite.run(sql, key, String(number), reply, Date.now());
  }

  /** Deletes a session, and the details of interrupted writes. Their keys begin with that of the session and a space. */
  function forget(key: string): void {
    sqlite.run("DELETE FROM sessions WHERE key >= ? AND key < ?", key, `${key}!`);
  }

  return {
    abort,
    /** Starts the session's transaction with this number, which must be new, and aborts an earlier one. */
    begin(key: string, number: number): void {
      if (getOutcome(key, number) !== undefined || open.get(key)?.number === number) throw noSuchTransaction(number);
      abort(key);
      if (open.size >= maxOpen) {
        throw serverError("TooManyLogicalSessions", `there are ${maxOpen} sessions with open transactions`);
      }
      open.set(key, { number, transaction: transactions.begin(), connections: new Set() });
    },
    /** Returns the session's open transaction with this number for a connection. Throws NoSuchTransaction if there is none. */
    getTransaction(key: string, number: number, connection: number): Transaction {
      const known = open.get(key);
      if (known?.number !== number) {
        getOutcome(key, number);
        throw noSuchTransaction(number);
      }
      known.connections.add(connection);
      return known.transaction;
    },
    /** Returns true if the session's transaction with this number was committed. */
    isCommitted: (key: string, number: number): boolean => getOutcome(key, number)?.["reply"] === null,
    /** Runs steps with the lock of the session, after waiting for other commands that have it. */
    *runLocked<Result>(key: string, run: () => Steps<Result>): Steps<Result> {
      for (let other = locks.get(key); other !== undefined; other = locks.get(key)) yield other;
      const { promise, resolve } = Promise.withResolvers<void>();
      locks.set(key, promise);
      try {
        return yield* run();
      } finally {
        locks.delete(key);
        resolve();
      }
    },
    /**
     * Returns the reply to a completed write, or the progress of an interrupted one with its details. If the write is new, returns neither,
     * and aborts the session's transaction.
     */
    getWrite(key: string, number: number): StoredWrite {
      const reply = getOutcome(key, number)?.["reply"] as Uint8Array | null | undefined;
      if (!reply) {
        abort(key);
        return {};
      }
      const stored = decode(reply)["progress"] as Document | undefined;
      if (stored === undefined) return { reply };
      const sql = "SELECT reply FROM sessions WHERE key > ? AND key < ? ORDER BY key";
      const details = sqlite.statement(sql).all(`${key} ${number} `, `${key} ${number}!`);
      return { stored, details: details.map((row) => decode(row["reply"] as Uint8Array)) };
    },
    /** Throws if the session has a later number. */
    checkNumber(key: string, number: number): void {
      getOutcome(key, number);
    },
    /** Stores a write with its reply, or a commit without one, within the SQLite transaction of the command. */
    remember(key: string, number: number, reply: Uint8Array | null = null): void {
      forget(key);
      store(key, number, reply);
    },
    /** Stores the progress of a write in the same way, and adds to its details. No reply has the field `progress`. */
    rememberProgress(key: string, number: number, progress: { readonly done: number }, added: Details): void {
      store(key, number, encode({ progress }));
      if (Object.values(added).every(({ length }) => length === 0)) return;
      store(`${key} ${number} ${String(progress.done).padStart(10, "0")}`, number, encode({ ...added }));
    },
    /** Deletes a session, and aborts its transaction. */
    end(key: string): void {
      abort(key);
      forget(key);
    },
    /** Removes a closed connection, and aborts the transactions that no other connection uses. */
    connectionClosed(connection: number): void {
      for (const [key, { connections }] of open) {
        if (connections.delete(connection) && connections.size === 0) abort(key);
      }
    },
    /** Whether there is an open transaction. */
    get hasTransactions(): boolean {
      return open.size > 0;
    },
    /** Aborts the transactions that started before a time of `performance.now`. */
    abortBegunBefore(time: number): void {
      for (const [key, { transaction }] of open) if (transaction.startedAt < time) abort(key);
    },
    /** Deletes, step by step, the sessions that were last used before a time. */
    *forgetUnusedSince(time: number): Steps<void> {
      for (let from = ""; ;) {
        const rows = sqlite.statement("SELECT key FROM sessions WHERE key > ? ORDER BY key LIMIT 100").all(from);
        const last = rows.at(-1);
        if (last === undefined) return;
        const to = String(last["key"]);
        sqlite.run("DELETE FROM sessions WHERE key > ? AND key <= ? AND used < ?", from, to, time);
        from = to;
        if (timeSlices.isOver) yield undefined;
      }
    },
  };
}

function noSuchTransaction(number: number): Error {
  const text = `Given transaction number ${number} does not match any in-progress transactions.`;
  return transientError("NoSuchTransaction", `${text} It was aborted, has ended, or was never started.`);
}
