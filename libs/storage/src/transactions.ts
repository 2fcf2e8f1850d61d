import { unavailable } from "@switchyard/rpc";
import mongoose from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Runs the work in one transaction and answers what it answers once the transaction is committed. The work runs again when another
 * transaction was in its way, so it must do nothing but read and write with the session that it is given, one thing after the
 * other. What the work throws rolls everything back and is thrown on. Throws Unavailable when others stay in the way.
 */
export type Atomically = <Result>(work: (session: ClientSession) => Promise<Result>) => Promise<Result>;

/** How long a transaction is tried again and again, in milliseconds. */
const patienceMs = 10_000;
const longestPauseMs = 200;

/** The transactions of a connection. One inside another is refused: it would be neither part of the outer one nor apart from it. */
export function createTransactions(connection: Connection): Atomically {
  const inside = new AsyncLocalStorage<true>();
  return async (work) => {
    if (inside.getStore() === true) throw new Error("A transaction inside a transaction");
    const session = await connection.startSession();
    try {
      return await inside.run(true, () => tryRepeatedly(session, work));
    } finally {
      await session.endSession();
    }
  };
}

async function tryRepeatedly<Result>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<Result>,
): Promise<Result> {
  const until = Date.now() + patienceMs;
  for (let attempt = 0; ; attempt += 1) {
    session.startTransaction({
      readConcern: { level: "snapshot" },
      writeConcern: { w: "majority" },
      readPreference: "primary",
    });
    try {
      const result = await work(session);
      await commit(session, until);
      return result;
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      if (!hasLabel(error, "TransientTransactionError")) throw error;
      if (Date.now() >= until) throw busy(error);
    }
    await sleep(Math.random() * Math.min(longestPauseMs, 4 * 2 ** attempt));
  }
}

async function commit(session: ClientSession, until: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      // The server answers a repeated commit with what became of the first.
      if (!hasLabel(error, "UnknownTransactionCommitResult") || Date.now() >= until) throw error;
    }
  }
}

function busy(cause: unknown): Error {
  return unavailable("STORAGE_BUSY", "Too many changes of the same thing at once. Try again.", cause);
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
