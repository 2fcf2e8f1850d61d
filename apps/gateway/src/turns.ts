import { abortReason, unavailable } from "@switchyard/rpc";

/** How many calls are under way, and how many may wait. */
export interface TurnLimits {
  /** How many are under way at a time. */
  readonly maxUnderWay: number;
  /** How many wait until one of these ends; any more are refused at once. */
  readonly maxWaiting: number;
  /**
   * How long a call waits before it is refused, in milliseconds. One that would wait longer is refused at once. While calls are
   * refused, this bounds the wait and the turn together.
   */
  readonly maxWaitMs: number;
  /** How long turns are to last while calls are refused, in milliseconds: only so many are under way then as end after that time. */
  readonly targetLatencyMs: number;
}

/** Calls that take turns. */
export interface Turns {
  /**
   * Resolves when it is the call's turn, with the function that ends it. Rejects with Unavailable (OVERLOADED) for a call that cannot
   * begin soon, and with the reason of the signal when that is aborted while it waits.
   */
  take(signal?: AbortSignal): Promise<() => void>;
  /**
   * Whether a call that comes now is refused at once, and counts it as refused if so. It is for those who can save work by knowing
   * before they have read the call; `take` asks by itself.
   */
  refuses(): boolean;
}

/** How much the last turn counts in the means. */
const newestPart = 0.1;
/** However long turns last, so many are under way. */
const minUnderWay = 4;
/** How long after the last refusal turns still count as busy, so that they do not alternate between both states. */
const busyMs = 1_000;

/** Creates turns, first come first served. How long a call would wait follows from how long turns have lasted. */
export function createTurns({ maxUnderWay, maxWaiting, maxWaitMs, targetLatencyMs }: TurnLimits): Turns {
  const waiting = new Set<Waiting>();
  let underWay = 0;
  let refusedAt = -Infinity;
  /** How long turns last. */
  let meanMs = 0;
  /** The share of a turn's time that is due to itself: its length divided by how many were under way meanwhile. */
  let workMs = 0;

  const isBusy = (): boolean => performance.now() - refusedAt < busyMs;

  /** Where more calls come than can be answered, those under way only take longer the more they are. */
  function limit(): number {
    if (workMs === 0 || !isBusy()) return maxUnderWay;
    return Math.min(maxUnderWay, Math.max(minUnderWay, Math.round(targetLatencyMs / workMs)));
  }

  /** Begins a turn, which can be ended once. */
  function turn(): () => void {
    const begun = performance.now();
    let ended = false;
    underWay += 1;
    const others = underWay;
    return () => {
      if (ended) return;
      ended = true;
      const ms = performance.now() - begun;
      meanMs = meanMs === 0 ? ms : meanMs + (ms - meanMs) * newestPart;
      const own = (2 * ms) / (others + underWay);
      workMs = workMs === 0 ? own : workMs + (own - workMs) * newestPart;
      underWay -= 1;
      beginNext();
    };
  }

  /** Begins those that have waited longest. One whose answer would be late is refused instead: its turn goes to one in time. */
  function beginNext(): void {
    for (const { since, begin, refuse } of waiting) {
      if (underWay >= limit()) return;
      const answeredMs = performance.now() - since + workMs * (underWay + 1);
      if (isBusy() && underWay > 0 && answeredMs > maxWaitMs) refuse();
      else begin();
    }
  }

  function isRefused(): boolean {
    if (underWay < limit()) return false;
    if (waiting.size >= maxWaiting) return true;
    if (!isBusy()) return ((waiting.size + 1) * meanMs) / maxUnderWay > maxWaitMs;
    return (waiting.size + 1 + underWay) * workMs > maxWaitMs;
  }

  function wait(signal: AbortSignal | undefined): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(entry);
        clearTimeout(timer);
        signal?.removeEventListener("abort", aborted);
      };
      const aborted = (): void => {
        leave();
        reject(abortReason(signal as AbortSignal));
      };
      const entry: Waiting = {
        since: performance.now(),
        begin: () => {
          leave();
          resolve(turn());
        },
        refuse: () => {
          leave();
          refusedAt = performance.now();
          reject(overloaded());
        },
      };
      const timer = setTimeout(entry.refuse, maxWaitMs);
      signal?.addEventListener("abort", aborted, { once: true });
      waiting.add(entry);
    });
  }

  function refuses(): boolean {
    const refused = isRefused();
    if (refused) refusedAt = performance.now();
    return refused;
  }

  return {
    refuses,
    async take(signal) {
      if (signal?.aborted === true) throw abortReason(signal);
      if (refuses()) throw overloaded();
      return underWay < limit() && waiting.size === 0 ? turn() : wait(signal);
    },
  };
}

interface Waiting {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: () => void;
}

/** The error of a call that is refused because too many of its method are under way. */
export function overloaded(): Error {
  return unavailable("OVERLOADED", "Too many requests of this kind are under way. Try again later.");
}
