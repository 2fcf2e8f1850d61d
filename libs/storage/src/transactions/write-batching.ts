import type { Message } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { abortReason, currentSignal, getProblemFacts } from "@switchyard/rpc";
import type { ClientSession } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { keyInUse } from "../idempotency/errors.ts";
import type { KeyedCall } from "../idempotency/idempotent.ts";
import { isDuplicateKey } from "./duplicate-key.ts";
import { busy, transactionTimeoutMs } from "./transactions.ts";
import type { Atomically } from "./transactions.ts";

/**
 * Writes a batch of changes with the same key within a transaction. Returning false refuses them: all are rolled back and, if there are
 * several, each is tried separately. It may run again, with fewer changes, and must only read and write with the session.
 */
export type BatchWrite<Change> = (key: string, changes: readonly Change[], session: ClientSession) => Promise<boolean>;

/**
 * Adds a change to the next batch of a key. Resolves with true once it is committed, and with false if it was refused. `toResponse` returns
 * the response of the call, as for `atomically`. Throws the same errors as `atomically`.
 */
export type BatchedChange<Change> = (key: string, change: Change, toResponse?: () => Message) => Promise<boolean>;

/**
 * Batches the changes that many calls make with one key, because separate transactions would conflict or cost more. Each process runs one
 * transaction at a time for each key, and the changes that arrive in the meantime share the next one. A change is left out if its call
 * was cancelled or another call has used its idempotency key. If a shared transaction fails because of a change, each change gets a
 * transaction of its own.
 */
export type BatchWrites = <Change>(write: BatchWrite<Change>) => BatchedChange<Change>;

/** The maximum number of changes in one transaction. */
const maxBatchSize = 100;

interface Waiting<Change> {
  readonly change: Change;
  /** Keeps the response of a call with an idempotency key in the transaction. Returns false if another call has used the key. */
  readonly keep: (session: ClientSession) => Promise<boolean>;
  readonly committed: () => void;
  readonly signal: AbortSignal | undefined;
  readonly deadline: number;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the write batching of a storage. `currentCall` returns the current call with an idempotency key, if there is one. */
export function createWriteBatching(atomically: Atomically, currentCall: () => KeyedCall | undefined): BatchWrites {
  return <Change>(write: BatchWrite<Change>): BatchedChange<Change> => {
    const queues = new Map<string, Waiting<Change>[]>();
    // A shared transaction does not run in the context of the first call, whose deadline and key do not apply to the others.
    const detached = AsyncLocalStorage.snapshot();

    async function commitAll(key: string, queue: Waiting<Change>[]): Promise<void> {
      while (queue.length > 0) {
        const batch = queue.splice(0, maxBatchSize).filter(isPending);
        if (batch.length > 0) await commit(key, batch);
      }
      queues.delete(key);
    }

    async function commit(key: string, batch: readonly Waiting<Change>[]): Promise<void> {
      let kept: Waiting<Change>[] = [];
      try {
        await atomically(async (session) => {
          kept = [];
          for (const each of batch) {
            if (await each.keep(session)) kept.push(each);
          }
          if (kept.length === 0) return;
          const changes = kept.map(({ change }) => change);
          if (!(await write(key, changes, session))) throw new Refused();
        });
      } catch (error) {
        if (batch.length > 1 && mayBeOfOneChange(error)) return commitEach(key, batch);
        for (const each of batch) {
          if (error instanceof Refused) each.resolve(false);
          else each.reject(error);
        }
        return;
      }
      const done = new Set(kept);
      for (const each of batch) {
        if (!done.has(each)) {
          each.reject(keyInUse());
          continue;
        }
        each.committed();
        each.resolve(true);
      }
    }

    /** Makes each change of a failed transaction in one of its own, so that only those that are invalid fail. */
    async function commitEach(key: string, batch: readonly Waiting<Change>[]): Promise<void> {
      for (const each of batch) if (isPending(each)) await commit(key, [each]);
    }

    return (key, change, toResponse) =>
      new Promise((resolve, reject) => {
        const deadline = Date.now() + transactionTimeoutMs;
        const call = toResponse === undefined ? undefined : currentCall();
        const waiting: Waiting<Change> = {
          change,
          keep: async (session) => call === undefined || toResponse === undefined || call.keep(toResponse(), session),
          committed: () => call?.committed(),
          signal: currentSignal(),
          deadline,
          resolve,
          reject,
        };
        const queue = queues.get(key);
        if (queue !== undefined) {
          queue.push(waiting);
          return;
        }
        const first = [waiting];
        queues.set(key, first);
        void detached(() => commitAll(key, first));
      });
  };
}

/** Rolls back a transaction whose write returned false. */
class Refused extends Error {}

/** Whether a transaction failed because of one of its changes, and not because of the database. */
function mayBeOfOneChange(error: unknown): boolean {
  return (
    error instanceof Refused ||
    isDuplicateKey(error) ||
    ![Code.Internal, Code.Unavailable].includes(getProblemFacts(error).code)
  );
}

/** Rejects a change whose call was cancelled or has waited too long. */
function isPending({ signal, deadline, reject }: Waiting<unknown>): boolean {
  if (signal?.aborted === true) reject(abortReason(signal));
  else if (Date.now() > deadline) reject(busy());
  else return true;
  return false;
}
