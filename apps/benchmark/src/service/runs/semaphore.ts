/** Runs work as soon as there is room. Rejects with the reason of the signal, without running it, if that is aborted first. */
export type Semaphore = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Creates a semaphore: at most `size` pieces of work run at a time, and the others wait in the order of their arrival. */
export function createSemaphore(size: number): Semaphore {
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
