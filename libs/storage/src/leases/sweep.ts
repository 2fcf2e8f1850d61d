import { AsyncLocalStorage } from "node:async_hooks";

/** A periodic background task. Rounds never overlap. */
export interface Sweep {
  /** Starts the timer. The first round begins after one interval. */
  start(): void;
  /** Stops the timer. Resolves when the current round has ended. */
  stop(): Promise<void>;
  /** Runs a round that begins after this call. Calls made while one is already waiting share it. */
  now(): Promise<void>;
  /** Reports that there is or will be work, so that the rounds of a sweep that `idles` are frequent again. */
  touch(): void;
}

/** The options of a sweep. */
export interface SweepOptions {
  /** The maximum time between the end of a round and the start of the next, in milliseconds, unless the sweep idles. */
  intervalMs: number;
  /** The work of a round. It may return when there will be more, in milliseconds from now, if that is earlier. */
  work: () => Promise<number | void>;
  /** The time until the next round after one that failed, in milliseconds; `intervalMs` by default. */
  retryMs?: number;
  /**
   * Returns whether the time between rounds grows with the time since the last `touch`, up to five minutes; it never does by default. Work that
   * is due some time after a touch is then found when twice that time has passed. For work whose arrival is always reported with `touch`. The
   * rare rounds remain for what nobody reports, such as a clock that was set back.
   */
  idles?: () => boolean;
  /** Called with every error that `work` throws. */
  onError: (error: unknown) => void;
}

/** The maximum time between the rounds of a sweep that idles, in milliseconds. */
const maxIdleMs = 300_000;
/**
 * Rounds at longer intervals than this begin at multiples of it, in milliseconds. The sweeps of a process, each of which has little to do,
 * then wake it together: an idle process spends most of its processor time on waking up.
 */
const gridMs = 10_000;

/** Creates a sweep. Its timer does not keep the process alive. */
export function createSweep(options: SweepOptions): Sweep {
  const { intervalMs, work, retryMs = intervalMs, idles = () => false, onError } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  let started = false;
  let touchedAt = performance.now();
  let scheduledMs = 0;
  // A round does not run in the context of the call that requested it: the deadline and key of that call do not apply.
  const detached = AsyncLocalStorage.snapshot();

  function getIntervalMs(): number {
    const time = performance.now();
    const interval = idles() ? Math.max(intervalMs, Math.min(time - touchedAt, maxIdleMs)) : intervalMs;
    return interval <= gridMs ? interval : Math.floor((time + interval) / gridMs) * gridMs - time;
  }

  async function round(): Promise<void> {
    clearTimeout(timer);
    let dueInMs = Infinity;
    try {
      dueInMs = (await work()) ?? Infinity;
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
    scheduledMs = Math.max(0, Math.min(dueInMs, getIntervalMs()));
    timer = setTimeout(() => void (running ?? run()), scheduledMs);
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
    touch() {
      touchedAt = performance.now();
      // A round in progress schedules the next one.
      if (running === undefined && scheduledMs > intervalMs) schedule(intervalMs);
    },
  };
}
