import { abortReason, unavailable } from "@switchyard/rpc";

/** How many calls are begun, and how many may wait. */
export interface TurnLimits {
  /** How many are under way at a time. */
  readonly maxUnderWay: number;
  /** How many wait until one of these ends; any more are refused at once. */
  readonly maxWaiting: number;
  /** How long one waits before it is refused, in milliseconds. */
  readonly maxWaitMs: number;
}

/** Calls that take turns. */
export interface Turns {
  /**
   * Resolves when it is the call's turn, with the function that ends it. Rejects with Unavailable (OVERLOADED) for a call that cannot
   * begin soon, and with the reason of the signal when that is aborted while it waits.
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

/** Creates turns, first come first served. */
export function createTurns({ maxUnderWay, maxWaiting, maxWaitMs }: TurnLimits): Turns {
  const waiting = new Set<() => void>();
  let underWay = 0;

  /** A turn, which can be ended once; the one that waits longest takes it over. */
  function turn(): () => void {
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const [next] = waiting;
      if (next === undefined) underWay -= 1;
      else next();
    };
  }

  function wait(signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(begin);
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      const begin = (): void => {
        leave();
        resolve(turn());
      };
      const aborted = (): void => {
        leave();
        reject(abortReason(signal as AbortSignal));
      };
      const timer = setTimeout(() => {
        leave();
        reject(overloaded());
      }, maxWaitMs);
      signal?.addEventListener("abort", aborted, { once: true });
      waiting.add(begin);
    });
  }

  return {
    async take(signal) {
      if (signal?.aborted === true) throw abortReason(signal);
      if (underWay < maxUnderWay) {
        underWay += 1;
        return turn();
      }
      if (waiting.size >= maxWaiting) throw overloaded();
      return wait(signal);
    },
  };
}

function overloaded(): Error {
  return unavailable("OVERLOADED", "Too many requests of this kind are under way. Try again later.");
}
