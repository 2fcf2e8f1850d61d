import { Worker } from "node:worker_threads";

/** How a job ended. */
export type Outcome<Answer> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "time" }
  | { readonly kind: "memory" }
  | { readonly kind: "crash"; readonly error: unknown };

/** What a worker thread is started with and held to. */
export interface SeatOptions {
  readonly url: URL;
  readonly workerData: unknown;
  /** How long one job may take, not counting the thread's start. */
  readonly timeoutMs: number;
  /** How much memory the thread may hold while it works, heap and buffers together, in MiB. */
  readonly memoryMb: number;
  /** How long the thread's start may take. */
  readonly startTimeoutMs: number;
}

/** A worker thread that does one job at a time. */
export interface Seat<Job, Answer> {
  /**
   * Does a job; rejects when the thread cannot be started. After any outcome but an answer the thread is gone. Buffers in `transferred`
   * are given to the thread instead of copied, and cannot be used here any more.
   */
  run(job: Job, transferred?: readonly ArrayBuffer[]): Promise<Outcome<Answer>>;
  /** How much memory the thread holds now, garbage included, heap and buffers together, in bytes. */
  held(): Promise<number>;
  /** Whether the thread is gone. */
  readonly gone: boolean;
  /** Ends the thread. */
  end(): Promise<void>;
}

/**
 * Starts a worker thread that says `{ ready: true }` once and `{ answer }` for every job, and guards its time and memory.
 *
 * Memory is watched from outside: V8's own limit does not count buffers, and a thread that exceeds it by one large allocation takes the
 * whole process with it ("invalid table size", "Allocation failed"). That limit is therefore set higher, as the second guard.
 */
export function createSeat<Job, Answer>(options: SeatOptions): Seat<Job, Answer> {
  const worker = new Worker(options.url, {
    workerData: options.workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMb * 4, maxYoungGenerationSizeMb },
  });
  let gone = false;
  let settle: (outcome: Outcome<Answer>) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      reject(new Error("a worker thread did not start in time"));
      void end();
    }, options.startTimeoutMs);
    const failed = (error: unknown): void => {
      clearTimeout(late);
      gone = true;
      reject(error instanceof Error ? error : new Error(String(error)));
      settle(isOutOfMemory(error) ? { kind: "memory" } : { kind: "crash", error });
    };
    worker.on("message", (message: { ready?: true; answer?: Answer }) => {
      if (message.ready) {
        clearTimeout(late);
        resolve();
      } else settle({ kind: "answer", answer: message.answer as Answer });
    });
    worker.on("messageerror", failed);
    worker.on("error", failed);
    worker.on("exit", (code) => failed(new Error(`a worker thread ended with code ${code}`)));
  });
  // A failed start is told to the job that waits for it.
  ready.catch(() => undefined);

  async function end(): Promise<void> {
    gone = true;
    await worker.terminate();
  }

  async function run(job: Job, transferred: readonly ArrayBuffer[] = []): Promise<Outcome<Answer>> {
    worker.ref();
    await ready;
    if (gone) throw new Error("the worker thread is gone");
    const outcome = new Promise<Outcome<Answer>>((resolve) => {
      settle = resolve;
    });
    const timer = setTimeout(() => settle({ kind: "time" }), options.timeoutMs);
    const watch = setInterval(() => {
      held(worker).then(
        (bytes) => bytes > options.memoryMb * 1024 * 1024 && settle({ kind: "memory" }),
        () => undefined,
      );
    }, memoryCheckIntervalMs);
    worker.postMessage(job, transferred);
    const ended = await outcome;
    clearTimeout(timer);
    clearInterval(watch);
    settle = () => undefined;
    if (ended.kind === "answer") worker.unref();
    else await end();
    return ended;
  }

  return {
    run,
    held: () => held(worker),
    get gone() {
      return gone;
    },
    end,
  };
}

const memoryCheckIntervalMs = 50;
/** An idle thread keeps the young generation that its largest job needed, because V8 only shrinks it in a collection. */
const maxYoungGenerationSizeMb = 24;

async function held(worker: Worker): Promise<number> {
  const statistics = await worker.getHeapStatistics();
  return statistics.used_heap_size + statistics.external_memory;
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === "ERR_WORKER_OUT_OF_MEMORY";
}
