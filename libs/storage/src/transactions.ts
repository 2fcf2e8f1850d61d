import { abortReason, currentSignal, unavailable } from "@switchyard/rpc";
import type { Message } from "@bufbuild/protobuf";
import mongoose from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { keyInUse } from "./idempotency/errors.ts";
import type { KeyedCall } from "./idempotency/idempotent.ts";

/**
 * Runs the work in one transaction and answers what it answers once the transaction is committed. The work runs again when another
 * transaction was in its way, so it must do nothing but read and write with the session that it is given, one thing after the
 * other. What the work throws rolls everything back and is thrown on. Throws Unavailable when others stay in the way for 4 s, and what the
 * database threw when it fails for as long. For a call for whose answer nobody waits any more, nothing is begun again nor committed.
 *
 * `toAnswer` is for the effect of an RPC that takes an idempotency key: it says what the RPC answers to what the work has done, or
 * undefined when it did nothing. Where the call has a key, both are committed together, so that neither is ever there alone.
 */
export type Atomically = <Result>(
  work: (session: ClientSession) => Promise<Result>,
  toAnswer?: ToAnswer<Result>,
) => Promise<Result>;

/** What an RPC answers to the outcome of its effect; undefined when there was none. */
export type ToAnswer<Result> = (result: Result) => Message | undefined;

/** How long a transaction is tried again and again, in milliseconds: not as long as a client waits. */
export const patienceMs = 4_000;
const maxPauseMs = 200;

/**
 * The transactions of a connection. One inside another is refused: it would be neither part of the outer one nor apart from it.
 * `currentCall` is the call with an idempotency key that is being answered, if one is.
 */
export function createTransactions(connection: Connection, currentCall: () => KeyedCall | undefined): Atomically {
  const inside = new AsyncLocalStorage<true>();
  const inTurn = createLane();
  return async (work, toAnswer) => {
    if (inside.getStore() === true) throw new Error("A transaction inside a transaction");
    const call = toAnswer === undefined ? undefined : currentCall();
    let answer: Message | undefined;
    const whole: typeof work = async (session) => {
      const result = await work(session);
      answer = toAnswer?.(result);
      if (answer !== undefined && (await call?.keep(answer, session)) === false) throw keyInUse();
      return result;
    };
    const session = await connection.startSession();
    try {
      const result = await inside.run(true, () => tryRepeatedly(session, call === undefined ? work : whole, inTurn));
      if (answer !== undefined) call?.committed();
      return result;
    } finally {
      await session.endSession();
    }
  };
}

async function tryRepeatedly<Result>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<Result>,
  inTurn: Lane,
): Promise<Result> {
  const until = Date.now() + patienceMs;
  const signal = currentSignal();
  let failure: unknown;
  const checkTime = (): void => {
    if (Date.now() >= until) throw givenUp(failure);
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      const once = (): Promise<Result> => tryOnce(session, work, { until, signal, checkTime });
      return await (attempt === 0 ? once() : inTurn(once));
    } catch (error) {
      if (!hasLabel(error, "TransientTransactionError")) throw error;
      failure = error;
      checkTime();
    }
    await pause(Math.random() * Math.min(maxPauseMs, 4 * 2 ** attempt), signal);
  }
}

async function tryOnce<Result>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<Result>,
  { until, signal, checkTime }: { until: number; signal: AbortSignal | undefined; checkTime: () => void },
): Promise<Result> {
  giveUpUnlessWanted(signal);
  checkTime();
  session.startTransaction({
    readConcern: { level: "snapshot" },
    writeConcern: { w: "majority" },
    readPreference: "primary",
  });
  try {
    const result = await work(session);
    giveUpUnlessWanted(signal);
    await commit(session, until);
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}

/** A call that has ended holds nothing: what it would write is not begun, and not committed. */
function giveUpUnlessWanted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortReason(signal);
}

/** Runs works one after the other, in the order in which they came. */
type Lane = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Transactions that were in each other's way take turns: all at once, they would be it again. */
function createLane(): Lane {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
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

/** Waits, not longer than the call lasts. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Why a transaction is not tried again: others were in its way, or the database failed it, as when its primary hangs. */
function givenUp(failure: unknown): unknown {
  const inTheWay = failure === undefined || (failure as { code?: unknown }).code === writeConflict;
  return inTheWay ? busy(failure) : failure;
}

/** MongoDB's code of an error. */
const writeConflict = 112;

/** Unavailable: others were in the way of a change all the time. */
export function busy(cause?: unknown): Error {
  return unavailable("STORAGE_BUSY", "Too many changes of the same thing at once. Try again.", cause);
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
