import type { ConnectError } from "@connectrpc/connect";
import { canceled, unavailable } from "../errors.ts";

/** A semaphore for memory: limits the total number of bytes that its users hold at once. */
export interface ByteBudget {
  /**
   * Reserves bytes, waiting in first-in, first-out order until they are available. Returns an idempotent function that returns them.
   * A request for more than the whole budget reserves the whole budget. Rejects with Unavailable (`OVERLOADED`) when the wait takes
   * too long, and with Canceled when `signal` is aborted.
   */
  take(bytes: number, signal: AbortSignal): Promise<() => void>;
  /** Returns the number of reserved bytes and the number of waiting callers. */
  state(): { taken: number; waiting: number };
}

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/** Creates a budget of `maxBytes`, in which no caller waits for longer than `maxWaitMs`. */
export function createByteBudget({ maxBytes, maxWaitMs }: { maxBytes: number; maxWaitMs: number }): ByteBudget {
  let taken = 0;
  const queue = new Set<Waiting>();

  /** Serves callers in order, so that small requests cannot starve a large one. */
  function admitNext(): void {
    for (const waiting of queue) {
      if (taken + waiting.bytes > maxBytes) return;
      queue.delete(waiting);
      taken += waiting.bytes;
      waiting.admit();
    }
  }

  function createRelease(bytes: number): () => void {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      taken -= bytes;
      admitNext();
    };
  }

  return {
    async take(requested, signal) {
      const bytes = Math.min(requested, maxBytes);
      if (signal.aborted) throw canceled();
      await new Promise<void>((resolve, reject) => {
        const rejectWith = (error: ConnectError) => () => {
          queue.delete(waiting);
          settle(() => reject(error));
          // The next callers in the queue may need less.
          admitNext();
        };
        const onAbort = rejectWith(canceled());
        const timer = setTimeout(rejectWith(overloaded()), maxWaitMs);
        const settle = (outcome: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", onAbort);
          outcome();
        };
        const waiting: Waiting = { bytes, admit: () => settle(resolve) };
        signal.addEventListener("abort", onAbort, { once: true });
        queue.add(waiting);
        admitNext();
      });
      return createRelease(bytes);
    },
    state: () => ({ taken, waiting: queue.size }),
  };
}

function overloaded(): ConnectError {
  return unavailable("OVERLOADED", "The server is receiving too much data at the moment. Try again later.");
}
