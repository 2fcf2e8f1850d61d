import { createStreamWatch, type ChangeStream } from "./stream-watch.ts";
import { setTimeout as sleep } from "node:timers/promises";

/** Tells readers of the database when they have to read again. */
export interface Writes {
  /** The number of writes of this process that have ended so far. */
  readonly count: number;
  /** Called when a write of this process has ended, whether it succeeded or not. */
  readonly ended: () => void;
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
      // The reason is never read. Without one, an exception with its stack would be created for each write.
      next.abort("a write has ended");
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

/** The writes of a database to which other processes write, too. */
export interface SharedWrites extends Writes {
  /** Starts watching. Until then, and whenever the watch fails, readers read again after an interval. */
  start(): void;
  /** Ends the watch. */
  stop(): void;
}

/** The times of shared writes in milliseconds: between two reads without a watch, and until a watch that failed is started again. */
export interface SharedWritesTimes {
  readonly pollMs: number;
  readonly retryMs: number;
}

/**
 * Creates the writes of a database to which other processes write, too. `watch` opens a change stream of the writes. While there is one,
 * readers wait for it. Databases without change streams, such as the embedded store, are read again after `pollMs`.
 */
export function createSharedWrites(watch: () => ChangeStream, { pollMs, retryMs }: SharedWritesTimes): SharedWrites {
  const seen = createOwnWrites();
  const stream = createStreamWatch(watch, { onChange: () => seen.ended(), retryMs });
  return {
    get count() {
      return seen.count;
    },
    ended: () => seen.ended(),
    async after(count, timeoutMs, signal) {
      if (stream.isWatching) return seen.after(count, timeoutMs, signal);
      await sleep(Math.min(timeoutMs, pollMs), undefined, { signal }).catch(() => undefined);
      return true;
    },
    start: () => stream.start(),
    stop: () => stream.stop(),
  };
}
