/** The delays between attempts, which grow while attempts fail. */
export interface Backoff {
  /** Returns the next delay in milliseconds. */
  next(): number;
  /** Begins again with the shortest delay. */
  reset(): void;
}

/**
 * Creates delays that begin with `initialMs` and are multiplied by `factor` up to `maxMs`. Each varies randomly by up to a fifth, so that
 * clients that lost the same server do not return at the same time.
 */
export function createBackoff(
  { initialMs, maxMs, factor }: { initialMs: number; maxMs: number; factor: number },
  random: () => number = Math.random,
): Backoff {
  let delayMs = initialMs;
  return {
    next() {
      const next = delayMs * (0.8 + 0.4 * random());
      delayMs = Math.min(delayMs * factor, maxMs);
      return next;
    },
    reset() {
      delayMs = initialMs;
    },
  };
}

/** The delays between attempts to connect and to resolve a name. Longer ones would turn a rolling restart into failed calls. */
export const reconnectDelays = { initialMs: 100, maxMs: 500, factor: 1.6 };
