import { Worker } from "node:worker_threads";
import { limitTime } from "./time-limit.ts";

/** How a job ended. */
export type Outcome<Result> =
  | { readonly kind: "result"; readonly result: Result }
  | { readonly kind: "time" }
  | { readonly kind: "memory" }
  | { readonly kind: "crash"; readonly error: unknown };

/** The program, start data and limits of a worker thread. */
export interface WorkerSlotOptions {
  readonly url: URL;
  readonly workerData: unknown;
  /**
   * The maximum processor time of a job, without the start of the thread. Where other work takes the processor, a job may last up to three
   * times as long.
   */
  readonly timeoutMs: number;
  /** The memory that the thread may hold during a job, heap and buffers together, in MiB. */
  readonly memoryMb: number;
  /** The maximum duration of the start of the thread. */
  readonly startTimeoutMs: number;
}

/** A place for one worker thread, which runs one job at a time. */
export interface WorkerSlot<Job, Result> {
  /**
   * Runs a job. Rejects if the thread cannot be started. The thread is ended after any outcome other than a result. Buffers in
   * `transferred` are moved to the thread, not copied, and cannot be used by the caller afterwards.
   */
  run(job: Job, transferred?: readonly ArrayBuffer[]): Promise<Outcome<Result>>;
  /** Returns the memory that the thread holds, including garbage, heap and buffers together, in bytes. */
  getHeldBytes(): Promise<number>;
  /** Whether the thread has ended, or is being ended. */
  readonly isClosed: boolean;
  /** Ends the thread. */
  close(): Promise<void>;
}

/**
 * Starts a worker thread and limits the time and memory of its jobs. The thread posts `{ ready: true }` once, and `{ result }` for every
 * job.
 *
 * Memory is checked from outside the thread. V8's own limit does not count buffers, and a single large allocation beyond it aborts the
 * whole process ("invalid table size", "Allocation failed"). That limit is therefore set higher, as a second safeguard.
 */
export function createWorkerSlot<Job, Result>(options: WorkerSlotOptions): WorkerSlot<Job, Result> {
  const worker = new Worker(options.url, {
    workerData: options.workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb * 4, maxYoungGenerationSizeMb },
  });
  let isClosed = false;
  let settle: (outcome: Outcome<Result>) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error("a worker thread did not start in time"));
      void close();
    }, options.startTimeoutMs);
    const failed = (error: unknown): void => {
      clearTimeout(late);
      isClosed = true;
      reject(error instanceof Error ? error : new Error(String(error)));
      settle(isOutOfMemory(error) ? { kind: "memory" } : { kind: "crash", error });
    };
    worker.on("message", (message: { ready?: true; result?: Result }) => {
      if (message.ready) {
        clearTimeout(late);
        resolve();
      } else settle({ kind: "result", result: message.result as Result });
    });
    worker.on("messageerror", failed);
    worker.on("error", failed);
    worker.on("exit", (code) => failed(new Error(`a worker thread ended with code ${code}`)));
  });
  // The job that waits for the start reports its failure.
  ready.catch(() => undefined);

  async function close(): Promise<void> {
    isClosed = true;
    await worker.terminate();
  }

  async function run(job: Job, transferred: readonly ArrayBuffer[] = []): Promise<Outcome<Result>> {
    worker.ref();
    await ready;
    if (isClosed) throw new Error("the worker thread has ended");
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome<Result>>();
    settle = resolve;
    const endTimeLimit = limitTime(worker, options.timeoutMs, () => resolve({ kind: "time" }));
    const watch = setInterval(() => {
      getHeldBytes(worker).then(
        (bytes) => bytes > options.memoryMb * 1024 * 1024 && settle({ kind: "memory" }),
        () => undefined,
      );
    }, memoryCheckIntervalMs);
    let ended: Outcome<Result>;
    try {
      worker.postMessage(job, transferred);
      ended = await outcome;
    } finally {
      endTimeLimit();
      clearInterval(watch);
      settle = () => undefined;
    }
    if (ended.kind === "result") worker.unref();
    else await close();
    return ended;
  }

  return {
    run,
    getHeldBytes: () => getHeldBytes(worker),
    get isClosed() {
      return isClosed;
    },
    close,
  };
}

const memoryCheckIntervalMs = 50;
/** Limited because an idle thread keeps the young generation that its largest job needed: V8 shrinks it only in a collection. */
const maxYoungGenerationSizeMb = 24;

async function getHeldBytes(worker: Worker): Promise<number> {
  const statistics = await worker.getHeapStatistics();
  return statistics.used_heap_size + statistics.external_memory;
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY";
}
