import { createWorkerSlot } from "./worker-slot.ts";
import type { Outcome, WorkerSlot, WorkerSlotOptions } from "./worker-slot.ts";

/** The size of a pool of worker threads, and the limits of each thread. */
export interface PoolOptions extends WorkerSlotOptions {
  /** The maximum number of jobs that run at the same time. */
  readonly size: number;
  /**
   * A job that runs for longer no longer counts towards `size`, so that slow jobs do not delay all others. At most `size` jobs are
   * exempt in this way.
   */
  readonly slowJobMs: number;
  /** A thread is replaced after this number of jobs, so that memory that libraries keep does not accumulate. */
  readonly maxJobsPerWorker: number;
  /**
   * The memory that a thread may hold after it has been idle for half a second, in MiB. A thread that holds more is replaced, because V8
   * does not collect garbage in an idle thread, so the thread would keep the memory that its largest job needed. Unlimited by default.
   */
  readonly maxIdleMb?: number;
  /**
   * The time for which a thread may be idle while there are others, in milliseconds; 30 s by default. The last thread stays, so that the
   * next job does not wait for the start of one, unless `endsLast` is set.
   */
  readonly spareTimeoutMs?: number;
  /** Whether the last thread also ends when it has been idle for long, because it holds memory that is rarely needed. */
  readonly endsLast?: boolean;
  /** The maximum number of waiting jobs. */
  readonly maxWaitingJobs: number;
}

/** A job, and the buffers in it that are transferred to the thread. */
export interface Task<Job> {
  readonly job: Job;
  readonly transferred: readonly ArrayBuffer[];
}

/** A pool of worker threads that share a queue. Jobs start in the order of their arrival. */
export interface Pool<Job, Result> {
  /**
   * Runs the job that `begin` creates. `begin` is called when a thread is available, so that the job's data is not in memory while it
   * waits. Rejects if `begin` rejects, if the pool is closed or full, or if no thread can be started. Buffers in `transferred` are
   * moved to the thread, not copied, and cannot be used by the caller afterwards. When the signal is aborted, rejects with its reason:
   * a waiting job leaves the queue, and the thread of a running job is terminated.
   */
  runLater(begin: () => Promise<Task<Job>>, signal?: AbortSignal): Promise<Outcome<Result>>;
  /** Runs a job that already exists. */
  run(job: Job, transferred?: readonly ArrayBuffer[]): Promise<Outcome<Result>>;
  /** Ends all threads. Jobs that run or wait are rejected. */
  close(): Promise<void>;
}

/** How long a thread is idle before the memory that it holds is measured, in milliseconds. Measuring after every job would delay the next. */
const idleCheckMs = 500;

/** Creates a pool that starts threads on demand. */
export function createPool<Job, Result>(options: PoolOptions): Pool<Job, Result> {
  interface Waiting {
    readonly begin: () => Promise<Task<Job>>;
    readonly resolve: (outcome: Outcome<Result>) => void;
    readonly reject: (error: unknown) => void;
  }
  interface Busy {
    readonly task: Waiting;
    readonly startedAt: number;
  }
  type Slot = WorkerSlot<Job, Result>;
  interface Idle {
    readonly slot: Slot;
    readonly jobs: number;
    readonly timers: readonly NodeJS.Timeout[];
  }
  const { maxIdleMb = Infinity, spareTimeoutMs = 30_000, endsLast = false } = options;
  const waiting: Waiting[] = [];
  const idle: Idle[] = [];
  const busy = new Map<Slot, Busy>();
  let slowJobTimer: NodeJS.Timeout | undefined;
  let closed = false;

  function dispatch(): void {
    clearTimeout(slowJobTimer);
    while (!closed && waiting.length > 0 && mayStart()) {
      try {
        const { slot, jobs, timers } = idle.pop() ?? createIdle(createWorkerSlot<Job, Result>(options), 0);
        for (const timer of timers) clearTimeout(timer);
        if (!slot.isClosed) void serve(slot, jobs, waiting.shift()!);
      } catch (error) {
        // The system has no more threads.
        waiting.shift()?.reject(error);
      }
    }
    if (waiting.length > 0 && busy.size < options.size * 2) slowJobTimer = setTimeout(dispatch, options.slowJobMs);
  }

  function mayStart(): boolean {
    return countQuickJobs() < options.size && busy.size < options.size * 2;
  }

  /** Counts the running jobs that are not slow yet. */
  function countQuickJobs(): number {
    const now = performance.now();
    return [...busy.values()].filter(({ startedAt }) => now - startedAt < options.slowJobMs).length;
  }

  async function serve(slot: Slot, jobs: number, task: Waiting): Promise<void> {
    busy.set(slot, { task, startedAt: performance.now() });
    try {
      const { job, transferred } = await task.begin();
      task.resolve(await slot.run(job, transferred));
    } catch (error) {
      task.reject(error);
      void slot.close();
    }
    busy.delete(slot);
    if (slot.isClosed || closed) return dispatch();
    const isKept = jobs + 1 < options.maxJobsPerWorker && idle.length + countQuickJobs() < options.size;
    if (isKept) idle.push(createIdle(slot, jobs + 1));
    else void slot.close();
    dispatch();
  }

  function createIdle(slot: Slot, jobs: number): Idle {
    const timers = [setTimeout(() => endIfSpare(slot), spareTimeoutMs).unref()];
    if (maxIdleMb !== Infinity) timers.push(setTimeout(() => void endIfLarge(slot), idleCheckMs).unref());
    return { slot, jobs, timers };
  }

  /** Ends a thread that has been idle for long, unless it is the last one and is kept. */
  function endIfSpare(slot: Slot): void {
    if (endsLast || idle.length + busy.size > 1) endIdle(slot);
  }

  /** Ends an idle thread that holds too much memory. */
  async function endIfLarge(slot: Slot): Promise<void> {
    // A thread that has ended holds nothing.
    const heldBytes = await slot.getHeldBytes().catch(() => 0);
    if (heldBytes > maxIdleMb * 1024 * 1024) endIdle(slot);
  }

  function endIdle(slot: Slot): void {
    const index = idle.findIndex((each) => each.slot === slot);
    if (index < 0) return;
    for (const { timers } of idle.splice(index, 1)) for (const timer of timers) clearTimeout(timer);
    void slot.close();
  }

  /** Stops a job that nobody waits for any more. */
  function abandon(task: Waiting, reason: unknown): void {
    const place = waiting.indexOf(task);
    if (place >= 0) waiting.splice(place, 1);
    for (const [slot, running] of busy) if (running.task === task) void slot.close();
    task.reject(reason);
  }

  function runLater(begin: () => Promise<Task<Job>>, signal?: AbortSignal): Promise<Outcome<Result>> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (closed) return Promise.reject(new Error("the pool of threads is closed"));
    if (waiting.length >= options.maxWaitingJobs) return Promise.reject(new Error("too many jobs wait for a thread"));
    const { promise, resolve, reject } = Promise.withResolvers<Outcome<Result>>();
    const task = { begin, resolve, reject };
    const abort = (): void => abandon(task, signal?.reason);
    signal?.addEventListener("abort", abort, { once: true });
    waiting.push(task);
    dispatch();
    return promise.finally(() => signal?.removeEventListener("abort", abort));
  }

  async function close(): Promise<void> {
    closed = true;
    clearTimeout(slowJobTimer);
    const error = new Error("the pool of threads is closed");
    const running = [...busy.values()].map(({ task }) => task);
    for (const { reject } of [...waiting.splice(0), ...running]) reject(error);
    await Promise.all([...idle.splice(0).map(({ slot }) => slot), ...busy.keys()].map((slot) => slot.close()));
  }

  return { runLater, run: (job, transferred = []) => runLater(() => Promise.resolve({ job, transferred })), close };
}
