import { createSeat } from "./seat.ts";
import type { Outcome, Seat, SeatOptions } from "./seat.ts";

/** How many worker threads there are, and what each is held to. */
export interface PoolOptions extends SeatOptions {
  /** How many jobs are done at a time. */
  readonly size: number;
  /** A job that takes longer no longer counts towards `size`, so that slow ones do not hold up all others; at most `size` of them. */
  readonly patienceMs: number;
  /** After so many jobs a thread is replaced, so that what libraries keep does not add up. */
  readonly jobsPerSeat: number;
  /**
   * How much memory a thread may hold without a job, in MiB; one that holds more is replaced. V8 collects nothing in a thread that has
   * nothing to do, so it would keep what its largest job needed. Unbounded unless given.
   */
  readonly maxIdleMb?: number;
  /** How many jobs may wait. */
  readonly maxWaiting: number;
}

/** A job, and the buffers of it that are given to the thread. */
export interface Task<Job> {
  readonly job: Job;
  readonly transferred: readonly ArrayBuffer[];
}

/** Worker threads that share a queue, first come first served. */
export interface Pool<Job, Answer> {
  /**
   * Does the job that `begin` makes once there is a thread for it, so that what a job brings along is not in memory while it waits.
   * Rejects when `begin` does; otherwise only for faults of ours: the pool is closed or full, or no thread starts. Buffers in
   * `transferred` are given to the thread instead of copied, and cannot be used here any more.
   */
  runLater(begin: () => Promise<Task<Job>>): Promise<Outcome<Answer>>;
  /** The same with a job that is there already. */
  run(job: Job, transferred?: readonly ArrayBuffer[]): Promise<Outcome<Answer>>;
  /** Ends all threads; jobs under way and waiting are rejected. */
  close(): Promise<void>;
}

/** A pool whose threads start when they are needed. */
export function createPool<Job, Answer>(options: PoolOptions): Pool<Job, Answer> {
  interface Waiting {
    readonly begin: () => Promise<Task<Job>>;
    readonly resolve: (outcome: Outcome<Answer>) => void;
    readonly reject: (error: unknown) => void;
  }
  interface Busy extends Waiting {
    readonly since: number;
  }
  const { maxIdleMb = Infinity } = options;
  const waiting: Waiting[] = [];
  const idle: { seat: Seat<Job, Answer>; jobs: number }[] = [];
  const busy = new Map<Seat<Job, Answer>, Busy>();
  let patience: NodeJS.Timeout | undefined;
  let closed = false;

  function dispatch(): void {
    clearTimeout(patience);
    while (!closed && waiting.length > 0 && mayStart()) {
      const { seat, jobs } = idle.pop() ?? { seat: createSeat<Job, Answer>(options), jobs: 0 };
      if (!seat.gone) void serve(seat, jobs, waiting.shift()!);
    }
    if (waiting.length > 0 && busy.size < options.size * 2) patience = setTimeout(dispatch, options.patienceMs);
  }

  function mayStart(): boolean {
    return quick() < options.size && busy.size < options.size * 2;
  }

  /** How many jobs are under way that did not take long yet. */
  function quick(): number {
    const now = performance.now();
    return [...busy.values()].filter(({ since }) => now - since < options.patienceMs).length;
  }

  async function serve(seat: Seat<Job, Answer>, jobs: number, task: Waiting): Promise<void> {
    busy.set(seat, { ...task, since: performance.now() });
    let heldMb = 0;
    try {
      const { job, transferred } = await task.begin();
      task.resolve(await seat.run(job, transferred));
      if (maxIdleMb < Infinity && !seat.gone) heldMb = (await seat.held()) / 1024 / 1024;
    } catch (error) {
      task.reject(error);
      void seat.end();
    }
    busy.delete(seat);
    if (seat.gone || closed) return dispatch();
    const isKept = jobs + 1 < options.jobsPerSeat && heldMb <= maxIdleMb;
    if (isKept && idle.length + quick() < options.size) idle.push({ seat, jobs: jobs + 1 });
    else void seat.end();
    dispatch();
  }

  function runLater(begin: () => Promise<Task<Job>>): Promise<Outcome<Answer>> {
    if (closed) return Promise.reject(new Error("the pool of threads is closed"));
    if (waiting.length >= options.maxWaiting) return Promise.reject(new Error("too many jobs wait for a thread"));
    return new Promise((resolve, reject) => {
      waiting.push({ begin, resolve, reject });
      dispatch();
    });
  }

  async function close(): Promise<void> {
    closed = true;
    clearTimeout(patience);
    const fault = new Error("the pool of threads is closed");
    for (const { reject } of [...waiting.splice(0), ...busy.values()]) reject(fault);
    await Promise.all([...idle.splice(0).map(({ seat }) => seat), ...busy.keys()].map((seat) => seat.end()));
  }

  return { runLater, run: (job, transferred = []) => runLater(() => Promise.resolve({ job, transferred })), close };
}
