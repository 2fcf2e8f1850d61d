/** Does a work when it is its turn; rejects without having done it when the signal is aborted before. */
export type Turn = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Lets at most so many works go on at once; the others wait in the order in which they came. */
export function createTurns(size: number): Turn {
  const waiting = new Set<() => void>();
  let free = size;

  async function enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal.reason as Error);
      };
      const begin = (): void => {
        waiting.delete(begin);
        signal.removeEventListener("abort", leave);
        resolve();
      };
      waiting.add(begin);
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  return async (signal, work) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      const [next] = waiting;
      if (next === undefined) free += 1;
      else next();
    }
  };
}
