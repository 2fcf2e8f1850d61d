import { abortReason, currentSignal, unavailable } from "@switchyard/rpc";
import type { Message } from "@bufbuild/protobuf";
import mongoose from "mongoose";
import type { ClientSession, Connection } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { keyInUse } from "../idempotency/errors.ts";
import type { KeyedCall } from "../idempotency/idempotent.ts";

/**
 * Runs the work in one transaction, and returns its result once the transaction is committed. The work is retried after a conflict
 * with another transaction, so it must only read and write with the given session, one operation at a time. If it throws, the
 * transaction is rolled back and the error is rethrown. Throws Unavailable if conflicts last for 4 s, and the error of the database if
 * that fails for 4 s. A transaction of a call that was cancelled is neither retried nor committed.
 *
 * `toResponse` is for the effect of an RPC that takes an idempotency key: it turns the result into the RPC's response, or returns undefined
 * if there was no effect. If the call has a key, effect and response are committed together.
 */
export type Atomically = <Result>(
  work: (session: ClientSession) => Promise<Result>,
  toResponse?: ToResponse<Result>,
) => Promise<Result>;

/** Returns the response of an RPC for the result of its effect; undefined if there was no effect. */
export type ToResponse<Result> = (result: Result) => Message | undefined;

/** The time for which a transaction is retried, in milliseconds. It is shorter than the deadlines of clients. */
export const transactionTimeoutMs = 4_000;
const maxPauseMs = 200;

/**
 * Creates the transactions of a connection. Nested transactions are rejected. `currentCall` returns the current call with an
 * idempotency key, if there is one.
 */
export function createTransactions(connection: Connection, currentCall: () => KeyedCall | undefined): Atomically {
  const inside = new AsyncLocalStorage<true>();
  const serialize = createSerialQueue();
  return async (work, toResponse) => {
    if (inside.getStore() === true) throw new Error("Transactions cannot be nested");
    const call = toResponse === undefined ? undefined : currentCall();
    let response: Message | undefined;
    const workWithResponse: typeof work = async (session) => {
      const result = await work(session);
      response = toResponse?.(result);
      if (response !== undefined && (await call?.keep(response, session)) === false) throw keyInUse();
      return result;
    };
    const session = await connection.startSession();
    try {
      const result = await inside.run(true, () =>
        retryTransaction(session, call === undefined ? work : workWithResponse, serialize),
      );
      if (response !== undefined) call?.committed();
      return result;
    } finally {
      await session.endSession();
    }
  };
}

async function retryTransaction<Result>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<Result>,
  serialize: SerialQueue,
): Promise<Result> {
  const deadline = Date.now() + transactionTimeoutMs;
  const signal = currentSignal();
  let failure: unknown;
  const checkTime = (): void => {
    if (Date.now() >= deadline) throw toFinalError(failure);
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      const tryAgain = (): Promise<Result> => tryOnce(session, work, { deadline, signal, checkTime });
      return await (attempt === 0 ? tryAgain() : serialize(tryAgain));
    } catch (error) {
      if (!hasLabel(error, "TransientTransactionError") && !isTooLargeAtPresent(error)) throw error;
      failure = error;
      checkTime();
    }
    await pause(Math.random() * Math.min(maxPauseMs, 4 * 2 ** attempt), signal);
  }
}

async function tryOnce<Result>(
  session: ClientSession,
  work: (session: ClientSession) => Promise<Result>,
  { deadline, signal, checkTime }: { deadline: number; signal: AbortSignal | undefined; checkTime: () => void },
): Promise<Result> {
  throwIfCancelled(signal);
  checkTime();
  session.startTransaction({
    readConcern: { level: "snapshot" },
    writeConcern: { w: "majority" },
    readPreference: "primary",
  });
  try {
    const result = await work(session);
    throwIfCancelled(signal);
    await commit(session, deadline);
    return result;
  } catch (error) {
    if (session.inTransaction()) await session.abortTransaction();
    throw error;
  }
}

/** Throws if the call was cancelled: its transaction is neither started nor committed. */
function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw abortReason(signal);
}

/** Runs tasks one after the other, in the order of their arrival. */
type SerialQueue = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a queue. Transactions that conflicted are retried one at a time, because they would conflict again. */
function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

async function commit(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      // The server answers a repeated commit with the outcome of the first.
      if (!hasLabel(error, "UnknownTransactionCommitResult") || Date.now() >= deadline) throw error;
    }
  }
}

/** Waits until the time has passed or the call has ended. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

/** Returns the error of a transaction that is not retried any more: a conflict, or an error of the database. */
function toFinalError(failure: unknown): unknown {
  const isConflict = failure === undefined || (failure as { code?: unknown }).code === writeConflict;
  return isConflict ? busy(failure) : failure;
}

/** MongoDB's error code for a write conflict. */
const writeConflict = 112;

/** MongoDB's error code for a transaction that does not fit in the cache. It has no label, although others may need the cache now. */
const transactionTooLargeForCache = 388;

function isTooLargeAtPresent(error: unknown): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.code === transactionTooLargeForCache;
}

/** Creates the Unavailable error for a change that kept conflicting with others. */
export function busy(cause?: unknown): Error {
  return unavailable("STORAGE_BUSY", "Too many concurrent changes of the same data. Try again.", cause);
}

function hasLabel(error: unknown, label: string): boolean {
  return error instanceof mongoose.mongo.MongoError && error.hasErrorLabel(label);
}
