import type { Message } from "@bufbuild/protobuf";
import { abortReason, currentSignal } from "@switchyard/rpc";
import type { ClientSession } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { keyInUse } from "./idempotency/errors.ts";
import type { KeyedCall } from "./idempotency/idempotent.ts";
import { busy, patienceMs } from "./transactions.ts";
import type { Atomically } from "./transactions.ts";

/**
 * Writes some changes to the same document, within a transaction: all of them, or none where it returns false. It may run again,
 * with fewer changes, and must do nothing but read and write with the session.
 */
export type GatheredWork<Change> = (
  key: string,
  changes: readonly Change[],
  session: ClientSession,
) => Promise<boolean>;

/**
 * Changes one of the documents that are told apart by `key`; resolves with what the work returned once that is committed. `answer`
 * is what the call answers then, see `atomically`. Throws as `atomically` does.
 */
export type GatheredChange<Change> = (key: string, change: Change, answer: () => Message) => Promise<boolean>;

/**
 * Makes a function for changes that many calls make to one document. As transactions of their own they would be in each other's
 * way. Instead, one transaction runs at a time for each key in this process, and the changes that come meanwhile share the next
 * one. A change whose call has ended, or whose idempotency key was lost to another call, is left out of it.
 */
export type Gather = <Change>(work: GatheredWork<Change>) => GatheredChange<Change>;

/** The most changes in one transaction. */
const maxBatchSize = 100;

interface Waiting<Change> {
  readonly change: Change;
  readonly answer: () => Message;
  readonly call: KeyedCall | undefined;
  readonly signal: AbortSignal | undefined;
  readonly until: number;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates it for the transactions of a storage. `currentCall` is the call with an idempotency key that is being answered. */
export function createGather(atomically: Atomically, currentCall: () => KeyedCall | undefined): Gather {
  return <Change>(work: GatheredWork<Change>): GatheredChange<Change> => {
    const queues = new Map<string, Waiting<Change>[]>();
    // A transaction of several calls is none's: not within the deadline or the key of the one that came first.
    const apart = AsyncLocalStorage.snapshot();

    async function commitAll(key: string, queue: Waiting<Change>[]): Promise<void> {
      while (queue.length > 0) {
        const together = queue.splice(0, maxBatchSize).filter(isWanted);
        if (together.length > 0) await commit(key, together);
      }
      queues.delete(key);
    }

    async function commit(key: string, together: readonly Waiting<Change>[]): Promise<void> {
      let kept: Waiting<Change>[] = [];
      try {
        await atomically(async (session) => {
          kept = [];
          for (const each of together) {
            if ((await each.call?.keep(each.answer(), session)) !== false) kept.push(each);
          }
          if (kept.length === 0) return;
          const changes = kept.map(({ change }) => change);
          if (!(await work(key, changes, session))) throw new NotDone();
        });
      } catch (error) {
        for (const each of together) {
          if (error instanceof NotDone) each.resolve(false);
          else each.reject(error);
        }
        return;
      }
      const done = new Set(kept);
      for (const each of together) {
        if (!done.has(each)) {
          each.reject(keyInUse());
          continue;
        }
        each.call?.committed();
        each.resolve(true);
      }
    }

    return (key, change, answer) =>
      new Promise((resolve, reject) => {
        const until = Date.now() + patienceMs;
        const waiting = { change, answer, call: currentCall(), signal: currentSignal(), until, resolve, reject };
        const queue = queues.get(key);
        if (queue !== undefined) {
          queue.push(waiting);
          return;
        }
        const first = [waiting];
        queues.set(key, first);
        void apart(() => commitAll(key, first));
      });
  };
}

/** Rolls back a transaction whose work returned false. */
class NotDone extends Error {}

/** Refuses a change that came too late: its call has ended, or waited longer than it may. */
function isWanted({ signal, until, reject }: Waiting<unknown>): boolean {
  if (signal?.aborted === true) reject(abortReason(signal));
  else if (Date.now() > until) reject(busy());
  else return true;
  return false;
}
