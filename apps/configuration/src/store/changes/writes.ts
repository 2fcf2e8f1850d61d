import { setTimeout as sleep } from "node:timers/promises";

/** Tells readers of the database when they have to read again. */
export interface Writes {
  /** The number of writes of this process that have ended so far. */
  readonly count: number;
  /** Called when a write of this process has ended, whether it succeeded or not. */
  ended(): void;
  /**
   * Resolves when there may be a write after the first `count` ones, at the latest after `timeoutMs` milliseconds, or when the signal is
   * aborted. Returns false if there is certainly none.
   */
  after(count: number, timeoutMs: number, signal: AbortSignal): Promise<boolean>;
}

/** Creates the writes of a database to which no other process writes. Readers wait until there is one. */
export function createOwnWrites(): Writes {
  let count = 0;
  let next = new AbortController();
  return {
    get count() {
      return count;
    },
    ended() {
      count += 1;
      next.abort();
      next = new AbortController();
    },
    async after(known, timeoutMs, signal) {
      if (known === count) {
        await sleep(timeoutMs, undefined, { signal: AbortSignal.any([signal, next.signal]) }).catch(() => undefined);
      }
      return known !== count;
    },
  };
}

/** Creates the writes of a database to which other processes write, too. Readers read again after `pollIntervalMs` milliseconds. */
export function createSharedWrites(pollIntervalMs: number): Writes {
  return {
    count: 0,
    ended: () => undefined,
    async after(_count, timeoutMs, signal) {
      await sleep(Math.min(timeoutMs, pollIntervalMs), undefined, { signal }).catch(() => undefined);
      return true;
    },
  };
}
