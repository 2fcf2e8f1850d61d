import type { Worker } from "node:worker_threads";

/** A job ends after its limit of processor time, or after this multiple of it: a thread may also wait for something that never comes. */
const maxElapsed = 3;
/** What a job used before is measured after this time, so that short jobs cost nothing. */
const baselineMs = 50;

/**
 * Calls `expire` once when the thread has used `limitMs` of processor time for a job that starts now, or when three times as long has
 * passed. A job that shares its processor with others is thus allowed as much work as on an idle machine. Returns a function that ends the
 * watch.
 */
export function limitTime(worker: Worker, limitMs: number, expire: () => void): () => void {
  let usedBefore: Promise<number> | undefined;
  const baseline = setTimeout(
    () => {
      usedBefore = getProcessorMs(worker);
    },
    Math.min(baselineMs, limitMs / 2),
  );
  let check = setTimeout(checkUse, limitMs);
  const last = setTimeout(expire, limitMs * maxElapsed);
  let isOver = false;

  async function use(): Promise<number> {
    return (await getProcessorMs(worker)) - (await (usedBefore ?? 0));
  }
  function checkUse(): void {
    void use().then((used) => {
      if (isOver) return;
      if (used >= limitMs) expire();
      else check = setTimeout(checkUse, Math.max(baselineMs, limitMs - used));
    });
  }
  return () => {
    isOver = true;
    for (const timer of [baseline, check, last]) clearTimeout(timer);
  };
}

/** Returns the processor time that a thread has used, in milliseconds; that on the clock if it is unknown, as before Node.js 24.6. */
async function getProcessorMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return performance.now();
  }
}
