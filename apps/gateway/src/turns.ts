import { abortReason, unavailable } from "@switchyard/rpc";

/** How many calls are begun, and how many may wait. */
export interface TurnLimits {
  /** How many are under way at a time. */
  readonly maxUnderWay: number;
  /** How many wait until one of these ends; any more are refused at once. */
  readonly maxWaiting: number;
  /** How long one waits before it is refused, in milliseconds. One that would wait longer is refused at once. */
  readonly maxWaitMs: number;
  /** How long turns are to last while calls are refused, in milliseconds: only so many are under way then as end after that time. */
  readonly busyTurnMs: number;
}

/** Calls that take turns. */
export interface Turns {
  /**
   * Resolves when it is the call's turn, with the function that ends it. Rejects with Unavailable (OVERLOADED) for a call that cannot
   * begin soon, and with the reason of the signal when that is aborted while it waits.
   */
  take(signal?: AbortSignal): Promise<() => void>;
}

/** How much the last turn counts in the mean of how long turns last. */
const newestPart = 0.1;
/** However long turns last, so many are under way. */
const leastUnderWay = 4;

/** Creates turns, first come first served. How long a call would wait follows from how long turns have lasted. */
export function createTurns({ maxUnderWay, maxWaiting, maxWaitMs, busyTurnMs }: TurnLimits): Turns {
  const waiting = new Set<() => void>();
  let underWay = 0;
  let meanMs = 0;
  let limit = maxUnderWay;

  /** Begins a turn, which can be ended once; the one that waits longest takes it over. */
  function turn(): () => void {
    const begun = performance.now();
    let ended = false;
    underWay += 1;
    return () => {
      if (ended) return;
      ended = true;
      underWay -= 1;
      meanMs += (performance.now() - begun - meanMs) * newestPart;
      if (waiting.size === 0) limit = maxUnderWay;
      for (const begin of waiting) {
        if (underWay >= limit) return;
        begin();
      }
    };
  }

  /** Where more calls come than can be answered, those under way only take longer the more they are. */
  function refusal(): Error {
    // By Little's law.
    const inTime = Math.round((underWay * busyTurnMs) / meanMs);
    if (meanMs > 0) limit = Math.min(maxUnderWay, Math.max(leastUnderWay, inTime));
    return overloaded();
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
        reject(refusal());
      }, maxWaitMs);
      signal?.addEventListener("abort", aborted, { once: true });
      waiting.add(begin);
    });
  }

  return {
    async take(signal) {
      if (signal?.aborted === true) throw abortReason(signal);
      if (underWay < limit) return turn();
      const expectedMs = ((waiting.size + 1) * meanMs) / limit;
      if (waiting.size >= maxWaiting || expectedMs > maxWaitMs) throw refusal();
      return wait(signal);
    },
  };
}

function overloaded(): Error {
  return unavailable("OVERLOADED", "Too many requests of this kind are under way. Try again later.");
}
