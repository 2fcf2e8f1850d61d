import { serverError } from "../errors.ts";
import type { WaitForTransaction } from "./wait-for-transaction.ts";

/**
 * Work that can pause. When it pauses, what it has written is committed, and other commands run. It yields `undefined` when its time
 * slice is over, a `WaitForTransaction` when it must wait until a transaction ends, and a promise when it must wait for other work.
 */
export type Steps<Result> = Generator<WaitForTransaction | Promise<void> | undefined, Result, void>;

/** The duration of a time slice, in milliseconds. */
const defaultDurationMs = 10;
/** A time slice also ends after this number of bytes was written, so that its commit stays short. */
const maxWrittenBytes = 1024 * 1024;

/** The time slices of the one thread that all commands share. */
export class TimeSlices {
  readonly #durationMs: number;
  readonly #getWrittenBytes: () => number;
  #end = Number.POSITIVE_INFINITY;
  #queue: Promise<void> = Promise.resolve();
  #closed = false;
  /** The number of time slices that have begun. */
  count = 0;
  /** The duration of the longest time slice, in milliseconds. */
  maxMs = 0;

  /**
   * With a duration of 0, work pauses wherever it can. `getWrittenBytes` returns the number of bytes that were written and are not
   * committed.
   */
  constructor(durationMs = defaultDurationMs, getWrittenBytes: () => number = () => 0) {
    this.#durationMs = durationMs;
    this.#getWrittenBytes = getWrittenBytes;
  }

  /** Whether the current time slice is over. Outside of time slices, it is false unless much was written. */
  get isOver(): boolean {
    return performance.now() >= this.#end || this.#getWrittenBytes() >= maxWrittenBytes;
  }

  /** Runs one time slice. */
  run<Result>(work: () => Result): Result {
    const start = performance.now();
    this.count += 1;
    this.#end = start + this.#durationMs;
    try {
      return work();
    } finally {
      this.#end = Number.POSITIVE_INFINITY;
      this.maxMs = Math.max(this.maxMs, performance.now() - start);
    }
  }

  /**
   * Resolves when paused work may continue, but not before `until` resolves. Paused work continues one at a time, each after the
   * commands that have arrived in the meantime. Rejects after `close`.
   */
  async next(until?: Promise<void>): Promise<void> {
    await until;
    await (this.#queue = this.#queue.then(() => new Promise((resolve) => setImmediate(resolve))));
    if (this.#closed) throw serverError("ShutdownInProgress", "the server is closing");
  }

  /** Prevents all paused work from continuing. */
  close(): void {
    this.#closed = true;
  }
}
