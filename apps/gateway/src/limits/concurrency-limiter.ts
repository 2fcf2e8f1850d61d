import { abortReason, unavailable } from "@switchyard/rpc";

/** The limits of a concurrency limiter. */
export interface ConcurrencyLimits {
  /** How many calls run at the same time. */
  readonly maxConcurrent: number;
  /** How many calls may wait. Further calls are refused at once. */
  readonly maxWaiting: number;
  /**
   * How long a call waits before it is refused, in milliseconds. A call that is expected to need more than half of it is refused at
   * once. Under overload, this bounds the wait and the call together.
   */
  readonly maxWaitMs: number;
  /** The latency that calls should have under overload, in milliseconds. The number of concurrent calls is reduced to reach it. */
  readonly targetLatencyMs: number;
}

/**
 * Releases the place of a call. Call it with `idle` if the call did little more than wait for something outside: its duration says nothing
 * about other calls, and is ignored.
 */
export type Release = (idle?: "idle") => void;

/** A concurrency limiter, whose limit adapts to how long calls take while calls are refused. */
export interface ConcurrencyLimiter {
  /**
   * Resolves when the call may run, with the function that releases its place. Rejects with Unavailable (OVERLOADED) for a call that
   * cannot start soon, and with the reason of the signal when that is aborted while the call waits.
   */
  acquire(signal?: AbortSignal): Promise<Release>;
  /** Does the same if the call may run without waiting. Otherwise, returns undefined and does nothing. */
  acquireAtOnce(signal?: AbortSignal): Release | undefined;
  /**
   * Returns whether a call that arrives now is refused at once, and counts it as refused if so. Callers that can save work use it
   * before they read the call; `acquire` makes the same check itself.
   */
  refuses(): boolean;
}

/** The weight of the newest call in the moving averages. */
const smoothingFactor = 0.1;
/** The limit never falls below this number, however long calls take. */
const minConcurrent = 4;
/**
 * The share of `maxWaitMs` within which a call must be expected to end when it arrives. The rest is for calls that take longer than
 * expected, so that few calls are refused after they have waited.
 */
const admissionShare = 0.5;
/** How long after the last refusal the limiter counts as overloaded, so that it does not alternate between both states. */
const overloadWindowMs = 1_000;

/**
 * Creates a concurrency limiter that serves calls in the order of their arrival. It estimates waiting times from past calls. Calls
 * `onRefusal` for every call that it refuses.
 */
export function createConcurrencyLimiter(
  { maxConcurrent, maxWaiting, maxWaitMs, targetLatencyMs }: ConcurrencyLimits,
  onRefusal: () => void = () => undefined,
): ConcurrencyLimiter {
  const waiting = new Set<WaitingCall>();
  let active = 0;
  let refusedAt = -Infinity;
  /** The moving average of how long calls take. */
  let meanLatencyMs = 0;
  /** The moving average of the work in a call: its duration divided by the number of calls that ran meanwhile. */
  let meanWorkMs = 0;

  function recordRefusal(): void {
    refusedAt = performance.now();
    onRefusal();
  }

  const isOverloaded = (): boolean => performance.now() - refusedAt < overloadWindowMs;

  /** Under overload, more concurrent calls only make each of them slower. */
  function getLimit(): number {
    if (meanWorkMs === 0 || !isOverloaded()) return maxConcurrent;
    return Math.min(maxConcurrent, Math.max(minConcurrent, Math.round(targetLatencyMs / meanWorkMs)));
  }

  /** Starts a call and returns the function that releases its place, once. */
  function start(): Release {
    const startedAt = performance.now();
    let released = false;
    active += 1;
    const activeAtStart = active;
    return (idle) => {
      if (released) return;
      released = true;
      const latencyMs = performance.now() - startedAt;
      if (idle === undefined) {
        meanLatencyMs = updateMean(meanLatencyMs, latencyMs);
        meanWorkMs = updateMean(meanWorkMs, (2 * latencyMs) / (activeAtStart + active));
      }
      active -= 1;
      startNext();
    };
  }

  /** Starts the calls that have waited longest. A call that would be answered too late is refused and makes room for the next. */
  function startNext(): void {
    for (const call of waiting) {
      if (active >= getLimit()) return;
      const expectedMs = performance.now() - call.since + meanWorkMs * (active + 1);
      if (isOverloaded() && active > 0 && expectedMs > maxWaitMs) call.refuse();
      else call.start();
    }
  }

  function isFull(): boolean {
    if (active < getLimit()) return false;
    if (waiting.size >= maxWaiting) return true;
    const maxExpectedMs = admissionShare * maxWaitMs;
    if (!isOverloaded()) return ((waiting.size + 1) * meanLatencyMs) / maxConcurrent > maxExpectedMs;
    return (waiting.size + 1 + active) * meanWorkMs > maxExpectedMs;
  }

  function wait(signal: AbortSignal | undefined): Promise<Release> {
    return new Promise((resolve, reject) => {
      const stopWaiting = (): void => {
        waiting.delete(call);
        clearTimeout(timer);
        signal?.removeEventListener("abort", abort);
      };
      const abort = (): void => {
        stopWaiting();
        reject(abortReason(signal as AbortSignal));
      };
      const call: WaitingCall = {
        since: performance.now(),
        start: () => {
          stopWaiting();
          resolve(start());
        },
        refuse: () => {
          stopWaiting();
          recordRefusal();
          reject(overloaded());
        },
      };
      const timer = setTimeout(call.refuse, maxWaitMs);
      signal?.addEventListener("abort", abort, { once: true });
      waiting.add(call);
    });
  }

  function refuses(): boolean {
    const refused = isFull();
    if (refused) recordRefusal();
    return refused;
  }

  function acquireAtOnce(signal: AbortSignal | undefined): Release | undefined {
    return signal?.aborted === true || waiting.size > 0 || active >= getLimit() ? undefined : start();
  }

  return {
    refuses,
    acquireAtOnce,
    async acquire(signal) {
      if (signal?.aborted === true) throw abortReason(signal);
      if (refuses()) throw overloaded();
      return acquireAtOnce(signal) ?? wait(signal);
    },
  };
}

function updateMean(mean: number, value: number): number {
  return mean === 0 ? value : mean + (value - mean) * smoothingFactor;
}

interface WaitingCall {
  readonly since: number;
  readonly start: () => void;
  readonly refuse: () => void;
}

/** Returns the error of a call that is refused because too many calls of its method are in progress. */
export function overloaded(): Error {
  return unavailable("OVERLOADED", "Too many requests of this kind are in progress. Try again later.");
}
