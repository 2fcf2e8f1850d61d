import { createBackoff } from "../connections/backoff.ts";
import type { Failure } from "./failure.ts";

/** Decides whether a call is attempted again, by the rules of gRPC (proposal A6). */
export interface Retries {
  /** The number of attempts that count, before the current one. */
  readonly count: number;
  /**
   * Returns after how many milliseconds the call is attempted again, or undefined if it is not. A call that the server certainly has not
   * processed is attempted again at once, the first time, whatever its method.
   */
  next(failure: Failure, isUnprocessed: boolean): number | undefined;
}

/** Calls are attempted again up to three times within a second. A request that makes two calls is therefore refused within two seconds. */
const maxAttempts = 4;

/** Creates the retries of a call. Calls that fail with Unavailable are attempted again if their method is idempotent. */
export function createRetries(isIdempotent: boolean, random: () => number = Math.random): Retries {
  const backoff = createBackoff({ initialMs: 100, maxMs: 1_000, factor: 2 }, random);
  let count = 0;
  let hasBeenUnprocessed = false;
  return {
    get count() {
      return count;
    },
    next({ isRetryable, pushback }, isUnprocessed) {
      if (isUnprocessed && !hasBeenUnprocessed) {
        hasBeenUnprocessed = true;
        return 0;
      }
      if (!isIdempotent || !isRetryable || count >= maxAttempts - 1) return undefined;
      count += 1;
      if (pushback === undefined) return backoff.next();
      // Anything that is not a number of milliseconds forbids another attempt.
      if (!/^\d{1,9}$/.test(pushback)) return undefined;
      backoff.reset();
      return Number(pushback);
    },
  };
}
