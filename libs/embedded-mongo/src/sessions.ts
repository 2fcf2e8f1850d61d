import type { Engine } from "./engine.ts";
import { serverError } from "./errors.ts";
import { noSuchTransaction, transactionTooOld, type Transaction } from "./transactions.ts";

/** A client's session, as far as it used transactions or retryable writes. */
export interface Session {
  readonly key: string;
  /** The greatest transaction number it used, for transactions and retryable writes alike. */
  number: bigint;
  /** What `number` ended with: a write whose reply is kept, or a transaction that was committed. */
  outcome: "written" | "committed" | undefined;
  transaction: Transaction | undefined;
  /** The connections the open transaction came over. */
  readonly connections: Set<number>;
  usedAt: number;
}

/** The sessions of a server. */
export type Sessions = ReturnType<typeof openSessions>;

const mostInMemory = 10_000;

/**
 * Opens the sessions of a data file. The outcome of each session's last write is on disk, written together with what the
 * write changed: a client that did not get its answer, even because the server was killed, gets the same answer again.
 */
export function openSessions({ sqlite, transactions }: Engine) {
  /** The least recently used is the first. */
  const sessions = new Map<string, Session>();

  function load(key: string): Session {
    const row = sqlite.statement("SELECT number, reply IS NULL AS committed FROM sessions WHERE key = ?").get(key);
    const number = row === undefined ? -1n : BigInt(row["number"] as string);
    const outcome = row === undefined ? undefined : row["committed"] === 1 ? "committed" : "written";
    return { key, number, outcome, transaction: undefined, connections: new Set(), usedAt: 0 };
  }

  function makeRoom(): void {
    if (sessions.size < mostInMemory) return;
    for (const { key, transaction } of sessions.values())
      if (transaction === undefined) return void sessions.delete(key);
    throw serverError("TooManyLogicalSessions", `there are ${mostInMemory} sessions with open transactions`);
  }

  function abort(session: Session): void {
    if (session.transaction !== undefined) transactions.end(session.transaction);
    session.transaction = undefined;
    session.connections.clear();
  }

  return {
    /** The session of this key, new unless it is known. */
    get(key: string): Session {
      if (!sessions.has(key)) makeRoom();
      const session = sessions.get(key) ?? load(key);
      sessions.delete(key);
      sessions.set(key, session);
      session.usedAt = Date.now();
      return session;
    },
    /** The session's open transaction of this number; NoSuchTransaction when there is none. */
    continueTransaction(session: Session, number: bigint): Transaction {
      if (number < session.number) throw transactionTooOld(number);
      if (session.transaction?.open === true && session.number === number) return session.transaction;
      throw noSuchTransaction(number);
    },
    /** Begins the session's transaction of this number, which must be a new one; an earlier one is aborted. */
    beginTransaction(session: Session, number: bigint): Transaction {
      if (number < session.number) throw transactionTooOld(number);
      if (number === session.number) throw noSuchTransaction(number);
      abort(session);
      session.number = number;
      session.outcome = undefined;
      session.transaction = transactions.begin();
      return session.transaction;
    },
    /** Ends the session's transaction, if one is open, and lets go of what it held. */
    abort,
    /** The reply to a write that was done before; undefined when it is new. */
    replyOf(session: Session, number: bigint): Uint8Array | undefined {
      if (number < session.number) throw transactionTooOld(number);
      if (number > session.number) abort(session);
      if (number > session.number || session.outcome !== "written") return undefined;
      const row = sqlite
        .statement("SELECT reply FROM sessions WHERE key = ? AND number = ?")
        .get(session.key, String(number));
      return row?.["reply"] as Uint8Array | undefined;
    },
    /** Remembers a write with its reply, or without one a commit, within the SQLite transaction of the command. */
    remember(session: Session, number: bigint, reply?: Uint8Array): void {
      sqlite.run(
        "INSERT OR REPLACE INTO sessions (key, number, reply, used) VALUES (?, ?, ?, ?)",
        ...[session.key, String(number), reply ?? null, Date.now()],
      );
      session.number = number;
      session.outcome = reply === undefined ? "committed" : "written";
    },
    /** Forgets a session; its transaction is aborted. */
    end(key: string): void {
      const session = sessions.get(key);
      if (session !== undefined) abort(session);
      sessions.delete(key);
      sqlite.run("DELETE FROM sessions WHERE key = ?", key);
    },
    /** Aborts the transactions that nobody can continue. */
    connectionClosed(connection: number): void {
      for (const session of sessions.values()) {
        if (session.connections.delete(connection) && session.connections.size === 0) abort(session);
      }
    },
    /** Forgets sessions not used since a time, and aborts transactions begun before another. */
    sweep(unusedSince: number, transactionsBegunBefore: number): void {
      for (const session of sessions.values()) {
        const unused = session.usedAt < unusedSince;
        if (unused || (session.transaction?.startedAt ?? Infinity) < transactionsBegunBefore) abort(session);
        if (unused) sessions.delete(session.key);
      }
      sqlite.run("DELETE FROM sessions WHERE used < ?", unusedSince);
    },
  };
}
