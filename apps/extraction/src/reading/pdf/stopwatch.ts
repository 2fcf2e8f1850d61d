/** Adds up what pieces of work cost. */
export interface Stopwatch {
  /** The processor time of all pieces so far, in milliseconds. */
  readonly spentMs: number;
  /** Runs a piece of work, whether it succeeds or fails. */
  measure<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Creates a stopwatch of the calling thread, which does nothing else meanwhile. Processor time, because a document must have the same result
 * on a busy machine.
 */
export function createStopwatch(): Stopwatch {
  let spentMs = 0;
  return {
    get spentMs() {
      return spentMs;
    },
    async measure(work) {
      const before = process.threadCpuUsage();
      try {
        return await work();
      } finally {
        const { user, system } = process.threadCpuUsage(before);
        spentMs += (user + system) / 1_000;
      }
    },
  };
}
