import { AsyncLocalStorage } from "node:async_hooks";

/** Work that is done again and again, one round after the other. */
export interface Sweep {
  /** Begins: the first round after one interval. */
  start(): void;
  /** Ends: resolves when the round under way is done. */
  stop(): Promise<void>;
  /** One whole round that begins after this call; calls while one is waiting share it. */
  now(): Promise<void>;
}

/** `intervalMs` lies between the end of a round and the begin of the next. What the work throws goes to `onError`. */
export interface SweepOptions {
  intervalMs: number;
  work: () => Promise<void>;
  onError: (error: unknown) => void;
}

/** Repeats some work, never two rounds at once. Its timer keeps no process alive. */
export function createSweep({ intervalMs, work, onError }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  let started = false;
  // A round is nobody's: not of the call that asked for it, whose deadline and key are not its own.
  const apart = AsyncLocalStorage.snapshot();

  async function round(): Promise<void> {
    clearTimeout(timer);
    try {
      await work();
    } catch (error) {
      onError(error);
    } finally {
      running = undefined;
      schedule();
    }
  }

  function run(): Promise<void> {
    running = apart(round);
    return running;
  }

  function schedule(): void {
    clearTimeout(timer);
    if (!started) return;
    timer = setTimeout(() => void (running ?? run()), intervalMs);
    timer.unref();
  }

  return {
    start() {
      started = true;
      schedule();
    },
    async stop() {
      started = false;
      clearTimeout(timer);
      await (waiting ?? running);
    },
    now() {
      if (running === undefined) return run();
      waiting ??= running.then(() => {
        waiting = undefined;
        return running ?? run();
      });
      return waiting;
    },
  };
}
