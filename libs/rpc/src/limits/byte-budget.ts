import { Code, type ConnectError } from "@connectrpc/connect";
import { canceled, problem } from "../errors.ts";

/** Bytes that may be held in memory at once, shared by all who hold some. */
export interface ByteBudget {
  /**
   * Waits, in turn, until there is room for so many bytes; returns what gives them back, which may be called again. More than
   * there is in all counts as all. Rejects with Unavailable, reason "OVERLOADED", when there is no room for too long, and with
   * Canceled when `signal` is aborted before.
   */
  take(bytes: number, signal: AbortSignal): Promise<() => void>;
  /** How many are taken, and how many callers wait. */
  state(): { taken: number; waiting: number };
}

interface Waiting {
  readonly bytes: number;
  readonly admit: () => void;
}

/** Creates a budget of `maxBytes`. Nobody waits for longer than `maxWaitMs`. */
export function createByteBudget({ maxBytes, maxWaitMs }: { maxBytes: number; maxWaitMs: number }): ByteBudget {
  let taken = 0;
  const queue = new Set<Waiting>();

  /** Whoever came first is served first, so that small requests do not keep a large one out for ever. */
  function admitNext(): void {
    for (const waiting of queue) {
      if (taken + waiting.bytes > maxBytes) return;
      queue.delete(waiting);
      taken += waiting.bytes;
      waiting.admit();
    }
  }

  function giveBack(bytes: number): () => void {
    let given = false;
    return () => {
      if (given) return;
      given = true;
      taken -= bytes;
      admitNext();
    };
  }

  return {
    async take(wanted, signal) {
      const bytes = Math.min(wanted, maxBytes);
      if (signal.aborted) throw canceled();
      await new Promise<void>((resolve, reject) => {
        const leave = (error: ConnectError) => () => {
          queue.delete(waiting);
          settle(() => reject(error));
          // Those behind may be small enough.
          admitNext();
        };
        const gone = leave(canceled());
        const timer = setTimeout(leave(overloaded()), maxWaitMs);
        const settle = (outcome: () => void): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", gone);
          outcome();
        };
        const waiting: Waiting = { bytes, admit: () => settle(resolve) };
        signal.addEventListener("abort", gone, { once: true });
        queue.add(waiting);
        admitNext();
      });
      return giveBack(bytes);
    },
    state: () => ({ taken, waiting: queue.size }),
  };
}

function overloaded(): ConnectError {
  return problem(Code.Unavailable, "OVERLOADED", "Too much is being received at the moment. Try again in a moment.");
}
