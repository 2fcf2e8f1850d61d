import { once } from "node:events";
import { Worker } from "node:worker_threads";

/**
 * Collects its garbage when it is idle. For each message, it creates as much garbage, in mebibytes, as the message says, works before and
 * after that for as long as it says, in milliseconds, and posts how many bytes its buffers take. A fifth of the time, it waits like a thread
 * whose processor another program uses.
 */
const script = `
  import { setImmediate } from "node:timers/promises";
  import { parentPort } from "node:worker_threads";
  import { collectGarbageWhenIdle } from "${new URL("./garbage.ts", import.meta.url).href}";
  collectGarbageWhenIdle({ intervalMs: 200 });
  let garbage, young;
  const never = new Int32Array(new SharedArrayBuffer(4));
  setInterval(() => Atomics.wait(never, 0, 0, 10), 50);
  const work = async (ms) => {
    for (const end = performance.now() + ms; performance.now() < end; await setImmediate())
      for (const turnEnd = performance.now() + 20; performance.now() < turnEnd; );
  };
  parentPort.on("message", async ({ mebibytes, busyMs }) => {
    await work(busyMs);
    garbage = Array.from({ length: mebibytes }, () => new Uint8Array(1024 * 1024));
    // What survives the garbage of the meantime is old. Young garbage would be collected soon anyway.
    for (let left = mebibytes * 20_000; left > 0; left -= 1) young = new Array(20);
    garbage = undefined;
    await work(busyMs);
    parentPort.postMessage(process.memoryUsage().arrayBuffers);
  });
`;

describe("a thread that collects its garbage when it is idle", () => {
  it("does so soon after its work, not during it", async () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
    const run = async (mebibytes: number, busyMs: number): Promise<number> => {
      worker.postMessage({ mebibytes, busyMs });
      const [bytes] = (await once(worker, "message")) as [number];
      return bytes / 1024 / 1024;
    };
    try {
      const before = await run(0, 0);
      // V8 may collect it at the same time, but not each time.
      await expect.poll(() => run(30, 300)).toBeGreaterThan(before + 25);
      // V8 would collect the garbage on its own after 8 s.
      await expect.poll(() => run(0, 0), { timeout: 5_000 }).toBeLessThan(before + 5);
    } finally {
      await worker.terminate();
    }
  }, 60_000);
});

/**
 * For each message, it creates as much garbage as the message says, in mebibytes, and applies its limit. It posts how many mebibytes it held
 * before, and how many its buffers take after that.
 */
const limited = `
  import { parentPort } from "node:worker_threads";
  import { createGarbageLimit } from "${new URL("./garbage.ts", import.meta.url).href}";
  const limitGarbage = createGarbageLimit(60);
  const createGarbage = (mebibytes) => void Array.from({ length: mebibytes }, () => new Uint8Array(1024 * 1024));
  parentPort.on("message", (mebibytes) => {
    createGarbage(mebibytes);
    const { heapUsed, external } = process.memoryUsage();
    limitGarbage();
    const held = (heapUsed + external) / 1024 / 1024;
    parentPort.postMessage({ held, buffers: Math.round(process.memoryUsage().arrayBuffers / 1024 / 1024) });
  });
`;

describe("a thread that limits its garbage", () => {
  it("collects it if it is more", async () => {
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(limited)}`));
    const create = async (mebibytes: number): Promise<{ held: number; buffers: number }> => {
      worker.postMessage(mebibytes);
      return ((await once(worker, "message")) as [{ held: number; buffers: number }])[0];
    };
    try {
      // There may be more: Node.js strips types in a buffer, if it has not kept the compiled module.
      expect((await create(20)).buffers).toBeGreaterThanOrEqual(20);
      // V8 may collect a part of it at the same time, but not each time.
      await expect.poll(async () => (await create(70)).held).toBeGreaterThan(70);
      // Buffers are released in the background. V8 would collect the garbage on its own after 8 s.
      await expect.poll(async () => (await create(0)).buffers, { timeout: 5_000 }).toBe(0);
    } finally {
      await worker.terminate();
    }
  }, 60_000);
});
