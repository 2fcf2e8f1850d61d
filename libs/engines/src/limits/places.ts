/** A number of places that are taken in the order of arrival. */
export interface Places {
  /**
   * Waits for a place and returns a function that frees it. Rejects with the reason of the signal, and returns undefined at once if too many
   * are waiting.
   */
  take(signal: AbortSignal): Promise<(() => void) | undefined>;
}

/** Creates `count` places, for which at most `maxWaiting` wait. */
export function createPlaces(count: number, maxWaiting: number): Places {
  const waiting = new Set<() => void>();
  let free = count;

  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  const place = (): (() => void) => {
    let taken = true;
    return () => {
      if (taken) release();
      taken = false;
    };
  };

  return {
    async take(signal) {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return place();
      }
      if (waiting.size >= maxWaiting) return undefined;
      await new Promise<void>((resolve, reject) => {
        const proceed = (): void => {
          waiting.delete(proceed);
          signal.removeEventListener("abort", leave);
          resolve();
        };
        const leave = (): void => {
          waiting.delete(proceed);
          reject(signal.reason as Error);
        };
        waiting.add(proceed);
        signal.addEventListener("abort", leave, { once: true });
      });
      return place();
    },
  };
}
