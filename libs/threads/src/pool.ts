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
   * The memory that a thread may hold that has been idle for half a second, in MiB. A thread that holds more is replaced, because V8 does
   * not collect garbage in an idle thread, which would keep what its largest job needed. Unlimited by default.
   */
  readonly maxIdleMb?: number;
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
   * moved to the thread, not copied, and cannot be used by the caller afterwards.
   */
  runLater(begin: () => Promise<Task<Job>>): Promise<Outcome<Result>>;
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
  interface Busy extends Waiting {
    readonly startedAt: number;
  }
  interface Idle {
    readonly slot: WorkerSlot<Job, Result>;
    readonly jobs: number;
    readonly check: NodeJS.Timeout | undefined;
  }
  const { maxIdleMb = Infinity } = options;
  const waiting: Waiting[] = [];
  const idle: Idle[] = [];
  const busy = new Map<WorkerSlot<Job, Result>, Busy>();
  let slowJobTimer: NodeJS.Timeout | undefined;
  let closed = false;

  function dispatch(): void {
    clearTimeout(slowJobTimer);
    while (!closed && waiting.length > 0 && mayStart()) {
      const { slot, jobs, check } = idle.pop() ?? createIdle(createWorkerSlot<Job, Result>(options), 0);
      clearTimeout(check);
      if (!slot.isClosed) void serve(slot, jobs, waiting.shift()!);
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

  async function serve(slot: WorkerSlot<Job, Result>, jobs: number, task: Waiting): Promise<void> {
    busy.set(slot, { ...task, startedAt: performance.now() });
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

  function createIdle(slot: WorkerSlot<Job, Result>, jobs: number): Idle {
    if (maxIdleMb === Infinity) return { slot, jobs, check: undefined };
    const check = setTimeout(() => void replaceIfLarge(slot), idleCheckMs).unref();
    return { slot, jobs, check };
  }

  /** Ends an idle thread that holds too much memory. */
  async function replaceIfLarge(slot: WorkerSlot<Job, Result>): Promise<void> {
    // A thread that has ended holds nothing.
    const heldBytes = await slot.getHeldBytes().catch(() => 0);
    const index = idle.findIndex((each) => each.slot === slot);
    if (heldBytes <= maxIdleMb * 1024 * 1024 || index < 0) return;
    idle.splice(index, 1);
    await slot.close();
  }

  function runLater(begin: () => Promise<Task<Job>>): Promise<Outcome<Result>> {
    if (closed) return Promise.reject(new Error("the pool of threads is closed"));
    if (waiting.length >= options.maxWaitingJobs) return Promise.reject(new Error("too many jobs wait for a thread"));
    return new Promise((resolve, reject) => {
      waiting.push({ begin, resolve, reject });
      dispatch();
    });
  }

  async function close(): Promise<void> {
    closed = true;
    clearTimeout(slowJobTimer);
    const error = new Error("the pool of threads is closed");
    for (const { reject } of [...waiting.splice(0), ...busy.values()]) reject(error);
    await Promise.all([...idle.splice(0).map(({ slot }) => slot), ...busy.keys()].map((slot) => slot.close()));
  }

  return { runLater, run: (job, transferred = []) => runLater(() => Promise.resolve({ job, transferred })), close };
}
