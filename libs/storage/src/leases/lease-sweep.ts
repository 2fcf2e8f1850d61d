import { createStreamWatch } from "../changes/stream-watch.ts";
import type { ChangeStream } from "../changes/stream-watch.ts";
import { createSweep } from "./sweep.ts";
import type { Sweep, SweepOptions } from "./sweep.ts";

/** The documents of a collection that are worked on under leases. */
export interface LeasedDocuments {
  /** Returns when the first lease of a document with work left ends or has ended; undefined if there is no such document. */
  getNextLeaseEnd(): Promise<Date | undefined>;
  /** Opens a change stream that reports documents whose lease nobody holds. */
  watchFree(): ChangeStream;
}

/** The options of a sweep for documents under leases. */
export interface LeaseSweepOptions extends Pick<SweepOptions, "intervalMs" | "onError"> {
  /** The time for which leases are acquired, in milliseconds. */
  readonly leaseMs: number;
  /** Whether no other process uses the database, so that this one reports all work with `touch`. */
  readonly exclusive: boolean;
  readonly leases: LeasedDocuments;
  /** Acquires the documents whose leases have expired. */
  readonly work: () => Promise<void>;
  /** A clock in milliseconds. */
  readonly now: () => number;
}

/**
 * Creates a sweep that acquires documents whose leases have expired. If other processes use the database too, it waits until the next lease
 * ends, and a change stream reports leases that are released. Databases without change streams are read again after `intervalMs`.
 */
export function createLeaseSweep(options: LeaseSweepOptions): Sweep {
  const { intervalMs, leaseMs, exclusive, leases, work, onError, now } = options;
  const watch = exclusive ? undefined : createStreamWatch(() => leases.watchFree(), { onChange: () => sweep.touch() });
  const sweep = createSweep({
    intervalMs,
    idles: () => exclusive || watch?.isWatching === true,
    onError,
    async work() {
      const begunAt = now();
      await work();
      if (watch?.isWatching !== true) return undefined;
      // Leases that are acquired from now on end later than this.
      const end = Math.min((await leases.getNextLeaseEnd())?.getTime() ?? Infinity, begunAt + leaseMs);
      return Math.max(intervalMs, end - now());
    },
  });
  return {
    ...sweep,
    start() {
      sweep.start();
      watch?.start();
    },
    async stop() {
      watch?.stop();
      await sweep.stop();
    },
  };
}
