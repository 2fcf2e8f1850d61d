import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** When garbage is collected. */
export interface GarbageCollectionOptions {
  /** How often it is checked whether the thread is idle and holds more than before, in milliseconds; 10 s by default. */
  readonly intervalMs?: number;
}

/** The growth of the memory that a thread holds from which it may contain much garbage, in MiB. */
const growthMb = 8;

/**
 * A thread that used the processor for a smaller share of an interval counts as idle. A server with a few requests a second does not: they
 * would wait.
 */
const idleShare = 0.02;

/**
 * Collects the garbage of the calling thread when it has become idle and holds more memory than before its work, for as long as the thread lives. V8
 * collects garbage only while more memory is requested, so an idle thread would keep what its last work left, up to hundreds of mebibytes of buffers.
 */
export function collectGarbageWhenIdle({ intervalMs = 10_000 }: GarbageCollectionOptions = {}): void {
  const collect = getCollection();
  let held = getHeldBytes();
  let spent = getProcessorMs();
  setInterval(() => {
    // The utilization of the event loop would include the time that other threads and programs take from this one.
    const isIdle = getProcessorMs() - spent < idleShare * intervalMs;
    const now = getHeldBytes();
    // V8 may have collected garbage itself.
    held = Math.min(held, now);
    if (isIdle && now - held >= growthMb * 1024 * 1024) {
      collect("last-resort");
      held = getHeldBytes();
    }
    spent = getProcessorMs();
  }, intervalMs).unref();
}

/**
 * Returns a function that collects the garbage of the calling thread if it holds more than so many mebibytes. A pool measures the memory of a job
 * together with the garbage of those before it, so a thread calls this before a job that needs its limit for itself.
 */
export function createGarbageLimit(mebibytes: number): () => void {
  const collect = getCollection();
  return () => {
    const { heapUsed, external } = process.memoryUsage();
    if (heapUsed + external > mebibytes * 1024 * 1024) collect("regular");
  };
}

/** Returns the processor time of the thread so far, in milliseconds. */
function getProcessorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function getHeldBytes(): number {
  // The figure for all external memory may include what the last collection freed.
  const { heapTotal, arrayBuffers } = process.memoryUsage();
  return heapTotal + arrayBuffers;
}

/**
 * Returns a function that collects the garbage of the thread; as the last resort, it also returns the memory of V8's empty pages. Only contexts that
 * are created after the flag was set have V8's function.
 */
function getCollection(): (flavor: "regular" | "last-resort") => void {
  const name = "globalThis.gc";
  if (runInNewContext(name) === undefined) setFlagsFromString("--expose-gc");
  const gc = runInNewContext(name) as NonNullable<typeof globalThis.gc>;
  return (flavor) => gc({ type: "major", execution: "sync", flavor });
}
