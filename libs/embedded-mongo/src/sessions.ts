import type { Engine } from "./engine.ts";
import { noSuchTransaction, transactionTooOld, type Transaction } from "./transactions.ts";

/** A client's session. */
export interface Session {
  readonly key: string;
  /** The greatest transaction number it used, for transactions and retryable writes alike. */
  number: bigint;
  transaction: Transaction | undefined;
  /** The connections the open transaction came over. */
  readonly connections: Set<number>;
  /** What `number` ended with: the reply of a retryable write, or that the transaction was committed. */
  outcome: { readonly kind: "reply"; readonly body: Uint8Array } | { readonly kind: "committed" } | undefined;
  usedAt: number;
}

/**
 * Sessions. The outcome of each session's last write is on disk, written together with what the write changed:
 * a client that did not get its answer, even because the server was killed, gets the same answer again.
 */
export interface Sessions {
  get(key: string): Session;
  /** The session's open transaction of this number; NoSuchTransaction when there is none. */
  continueTransaction(session: Session, number: bigint): Transaction;
  beginTransaction(session: Session, number: bigint): Transaction;
  abort(session: Session): void;
  /** The reply to a write that was done before; undefined when it is new. */
  replyOf(session: Session, number: bigint): Uint8Array | undefined;
  /** Remembers an outcome, within the SQLite transaction of the command. */
  remember(session: Session, number: bigint, outcome: NonNullable<Session["outcome"]>): void;
  end(key: string): void;
  /** Aborts the transactions that nobody can continue. */
  connectionClosed(connection: number): void;
  /** Forgets sessions not used since a time, and aborts transactions begun before another. */
  sweep(unusedSince: number, transactionsBegunBefore: number): void;
}

/** Opens the sessions of a data file. */
export function openSessions(engine: Engine): Sessions {
  const { sqlite, transactions } = engine;
  const sessions = new Map<string, Session>();

  function abort(session: Session): void {
    if (session.transaction === undefined) return;
    transactions.end(session.transaction);
    session.transaction = undefined;
    session.connections.clear();
  }

  const result: Sessions = {
    get(key) {
      let session = sessions.get(key);
      if (session === undefined) {
        const row = sqlite.statement("SELECT number, reply FROM sessions WHERE key = ?").get(key);
        const reply = row?.["reply"] as Uint8Array | null | undefined;
        session = {
          key,
          number: row === undefined ? -1n : BigInt(row["number"] as string),
          transaction: undefined,
          connections: new Set(),
          outcome:
            row === undefined
              ? undefined
              : reply === null || reply === undefined
                ? { kind: "committed" }
                : { kind: "reply", body: reply },
          usedAt: 0,
        };
        sessions.set(key, session);
      }
      session.usedAt = Date.now();
      return session;
    },
    continueTransaction(session, number) {
      if (number < session.number) throw transactionTooOld(number);
      if (session.transaction?.open === true && session.number === number) return session.transaction;
      throw noSuchTransaction(number);
    },
    beginTransaction(session, number) {
      if (number < session.number) throw transactionTooOld(number);
      if (number === session.number) throw noSuchTransaction(number);
      abort(session);
      session.number = number;
      session.outcome = undefined;
      session.transaction = transactions.begin();
      return session.transaction;
    },
    abort,
    replyOf(session, number) {
      if (number < session.number) throw transactionTooOld(number);
      if (number > session.number) {
        abort(session);
        return undefined;
      }
      return session.outcome?.kind === "reply" ? session.outcome.body : undefined;
    },
    remember(session, number, outcome) {
      const reply = outcome.kind === "reply" ? outcome.body : null;
      sqlite.run(
        "INSERT OR REPLACE INTO sessions (key, number, reply, used) VALUES (?, ?, ?, ?)",
        session.key,
        String(number),
        reply,
        Date.now(),
      );
      session.number = number;
      session.outcome = outcome;
    },
    end(key) {
      const session = sessions.get(key);
      if (session !== undefined) abort(session);
      sessions.delete(key);
      sqlite.run("DELETE FROM sessions WHERE key = ?", key);
    },
    connectionClosed(connection) {
      for (const session of sessions.values()) {
        if (session.connections.delete(connection) && session.connections.size === 0) abort(session);
      }
    },
    sweep(unusedSince, transactionsBegunBefore) {
      for (const session of sessions.values()) {
        const begun = session.transaction?.startedAt ?? Number.POSITIVE_INFINITY;
        if (begun < transactionsBegunBefore) abort(session);
        if (session.usedAt < unusedSince) {
          abort(session);
          sessions.delete(session.key);
        }
      }
      sqlite.run("DELETE FROM sessions WHERE used < ?", unusedSince);
    },
  };
  return result;
}
