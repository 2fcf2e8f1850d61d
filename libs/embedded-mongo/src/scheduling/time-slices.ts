import { serverError } from "../errors.ts";
import type { WaitForTransaction } from "../sessions/transactions.ts";

/**
 * Work that can pause: what it wrote until then is committed, and others work meanwhile. It yields `undefined` when its turn is
 * over, the error that a change met when it must wait until a transaction ends, and a promise when it must wait for other work.
 */
export type Steps<Result> = Generator<WaitForTransaction | Promise<void> | undefined, Result, void>;

/** How long one command works before others have their turn, in milliseconds. */
const turnMs = 10;

/** The turns of the one thread that all commands share. */
export class Turns {
  readonly #lengthMs: number;
  #end = Number.POSITIVE_INFINITY;
  #line: Promise<void> = Promise.resolve();
  #closed = false;
  /** How many turns have begun. */
  count = 0;
  /** How long the longest turn took, in milliseconds. */
  longestMs = 0;

  /** With a length of 0, work pauses wherever it can. */
  constructor(lengthMs = turnMs) {
    this.#lengthMs = lengthMs;
  }

  /** Whether the current turn has lasted long enough. False outside of turns. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Runs one turn. */
  run<Result>(work: () => Result): Result {
    const start = performance.now();
    this.count += 1;
    this.#end = start + this.#lengthMs;
    try {
      return work();
    } finally {
      this.#end = Number.POSITIVE_INFINITY;
      this.longestMs = Math.max(this.longestMs, performance.now() - start);
    }
  }

  /**
   * Resolves when paused work may go on, not before `until`: one at a time, each after the commands that have arrived meanwhile.
   * Rejects once closed.
   */
  async next(until?: Promise<void>): Promise<void> {
    await until;
    await (this.#line = this.#line.then(() => new Promise((resolve) => setImmediate(resolve))));
    if (this.#closed) throw serverError("ShutdownInProgress", "the server is closing");
  }

  /** Lets no paused work go on. */
  close(): void {
    this.#closed = true;
  }
}
