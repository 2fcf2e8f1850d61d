import { AsyncLocalStorage } from "node:async_hooks";

/** A periodic background task. Rounds never overlap. */
export interface Sweep {
  /** Starts the timer. The first round begins after one interval. */
  start(): void;
  /** Stops the timer. Resolves when the current round has ended. */
  stop(): Promise<void>;
  /** Runs a round that begins after this call. Calls made while one is already waiting share it. */
  now(): Promise<void>;
}

/** The options of a sweep. */
export interface SweepOptions {
  /** The maximum time between the end of a round and the start of the next, in milliseconds. */
  intervalMs: number;
  /** The work of a round. It may return when there will be more, in milliseconds from now, if that is earlier. */
  work: () => Promise<number | void>;
  /** The time until the next round after one that failed, in milliseconds; `intervalMs` by default. */
  retryMs?: number;
  /** Called with every error that `work` throws. */
  onError: (error: unknown) => void;
}

/** Creates a sweep. Its timer does not keep the process alive. */
export function createSweep({ intervalMs, work, retryMs = intervalMs, onError }: SweepOptions): Sweep {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  let started = false;
  // A round does not run in the context of the call that requested it: the deadline and key of that call do not apply.
  const detached = AsyncLocalStorage.snapshot();

  async function round(): Promise<void> {
    clearTimeout(timer);
    let dueInMs = intervalMs;
    try {
      dueInMs = (await work()) ?? intervalMs;
    } catch (error) {
      dueInMs = retryMs;
      onError(error);
    } finally {
      running = undefined;
      schedule(dueInMs);
    }
  }

  function run(): Promise<void> {
    running = detached(round);
    return running;
  }

  function schedule(dueInMs: number): void {
    clearTimeout(timer);
    if (!started) return;
    timer = setTimeout(() => void (running ?? run()), Math.max(0, Math.min(dueInMs, intervalMs)));
    timer.unref();
  }

  return {
    start() {
      started = true;
      schedule(intervalMs);
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
