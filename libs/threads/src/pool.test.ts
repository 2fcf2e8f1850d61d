import { createPool } from "./pool.ts";
import type { Pool, PoolOptions } from "./pool.ts";

/** A program that evaluates the code of each job and returns its value. */
const script = `
  import { parentPort } from "node:worker_threads";
  parentPort.on("message", async (code) => parentPort.postMessage({ result: await (0, eval)(code) }));
  parentPort.postMessage({ ready: true });
`;

function createTestPool(options: Partial<PoolOptions> = {}): Pool<string, unknown> {
  return createPool({
    url: new URL(`data:text/javascript,${encodeURIComponent(script)}`),
    workerData: null,
    size: 1,
    timeoutMs: 60_000,
    memoryMb: 200,
    startTimeoutMs: 60_000,
    slowJobMs: 60_000,
    maxJobsPerWorker: 100,
    maxWaitingJobs: 100,
    ...options,
  });
}

/** The timeout of a test: enough for a machine that is busy with other work. */
const timeoutMs = 60_000;

describe("a pool of worker threads", () => {
  let pool: Pool<string, unknown>;
  afterEach(() => pool.close());

  it(
    "keeps a thread for the next job and replaces it after the maximum number of jobs",
    async () => {
      pool = createTestPool({ maxJobsPerWorker: 2 });
      const counts: unknown[] = [];
      for (let job = 0; job < 3; job++) {
        counts.push(await pool.run("globalThis.count = (globalThis.count ?? 0) + 1"));
      }
      expect(counts).toEqual([1, 2, 1].map((result) => ({ kind: "result", result })));
    },
    timeoutMs,
  );

  it("rejects jobs for which no thread can be created", async () => {
    // Node.js reports this as it reports that the system has no more threads.
    pool = createTestPool({ url: new URL("https://127.0.0.1/worker.js") });
    for (let job = 0; job < 2; job++) await expect(pool.run("1")).rejects.toThrow();
  });

  it(
    "stops jobs that nobody waits for, whether they wait or run",
    async () => {
      pool = createTestPool();
      const gone = new AbortController();
      const begun: string[] = [];
      const start = (code: string, signal?: AbortSignal) => {
        const begin = () => (begun.push(code), Promise.resolve({ job: code, transferred: [] }));
        return pool.runLater(begin, signal).then(
          (outcome) => (outcome.kind === "result" ? outcome.result : outcome.kind),
          (error: unknown) => error,
        );
      };
      expect(await start("1", gone.signal)).toBe(1);
      const abandoned = [start("for (;;);", gone.signal), start("2", gone.signal)];
      const next = start("3");
      const reason = new Error("nobody waits");
      gone.abort(reason);
      expect(await Promise.all(abandoned)).toEqual([reason, reason]);
      expect(await start("4", gone.signal)).toBe(reason);
      expect(await next).toBe(3);
      expect(begun).toEqual(["1", "for (;;);", "3"]);
    },
    timeoutMs,
  );

  it(
    "ends idle threads except one",
    async () => {
      pool = createTestPool({ size: 2, spareTimeoutMs: 20 });
      // Each job takes so long that the second needs another thread.
      const count =
        "new Promise((resolve) => setTimeout(() => resolve((globalThis.count = (globalThis.count ?? 0) + 1)), 200))";
      const runBoth = async () =>
        (await Promise.all([pool.run(count), pool.run(count)])).map((outcome) => "result" in outcome && outcome.result);
      expect(await runBoth()).toEqual([1, 1]);
      await new Promise((resolve) => setTimeout(resolve, 500));
      expect((await runBoth()).sort()).toEqual([1, 2]);
    },
    timeoutMs,
  );

  it(
    "replaces an idle thread that holds too much memory",
    async () => {
      pool = createTestPool({ maxIdleMb: 80 });
      const count = "globalThis.count = (globalThis.count ?? 0) + 1";
      const counts: unknown[] = [];
      for (const code of [count, `globalThis.held = new Uint8Array(100e6); ${count}`])
        counts.push(await pool.run(code));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      counts.push(await pool.run(count), await pool.run(count));
      expect(counts).toEqual([1, 2, 1, 2].map((result) => ({ kind: "result", result })));
    },
    timeoutMs,
  );

  it(
    "ends a job that takes too long and continues with the next",
    async () => {
      pool = createTestPool({ timeoutMs: 1000 });
      const [slow, next] = await Promise.all([pool.run("for (;;);"), pool.run("1 + 1")]);
      expect(slow).toEqual({ kind: "time" });
      expect(next).toEqual({ kind: "result", result: 2 });
    },
    timeoutMs,
  );

  it(
    "allows a job as much processor time as alone, and ends one that only waits",
    async () => {
      pool = createTestPool({ timeoutMs: 400 });
      const wait = (ms: number) => `new Promise((resolve) => setTimeout(() => resolve("waited"), ${ms}))`;
      expect(await pool.run(wait(700))).toEqual({ kind: "result", result: "waited" });
      expect(await pool.run(wait(30_000))).toEqual({ kind: "time" });
    },
    timeoutMs,
  );

  // Each of these exceeds V8's own limit, or aborts the whole process when it reaches it.
  it.each([
    ["objects", "const a = []; for (;;) a.push({ x: a.length });"],
    ["one growing list", "const a = []; for (;;) a.push(a.length + 0.5);"],
    ["one growing map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, i);"],
    ["buffers", "const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1));"],
  ])(
    "ends a job that uses too much memory: %s",
    async (_, code) => {
      pool = createTestPool();
      expect(await pool.run(code)).toEqual({ kind: "memory" });
      expect(await pool.run("1 + 1")).toEqual({ kind: "result", result: 2 });
    },
    timeoutMs,
  );

  it(
    "creates a job when a thread is available, and rejects if that fails",
    async () => {
      pool = createTestPool();
      const begun: string[] = [];
      const later = (name: string) =>
        pool.runLater(async () => {
          begun.push(name);
          if (name === "missing") throw new Error("is missing");
          return Promise.resolve({ job: `"${name}"`, transferred: [] });
        });
      const slow = pool.run("new Promise((resolve) => setTimeout(() => resolve('slow'), 300))");
      const waiting = later("waiting");
      const missing = expect(later("missing")).rejects.toThrow("is missing");
      expect(begun).toEqual([]);
      expect(await slow).toEqual({ kind: "result", result: "slow" });
      expect(await waiting).toEqual({ kind: "result", result: "waiting" });
      await missing;
      expect(await later("next")).toEqual({ kind: "result", result: "next" });
    },
    timeoutMs,
  );

  it(
    "survives a thread that crashes",
    async () => {
      pool = createTestPool();
      expect(await pool.run("process.exit(7)")).toMatchObject({ kind: "crash" });
      expect(await pool.run("Promise.reject(new Error('odd'))")).toMatchObject({ kind: "crash" });
      expect(await pool.run("1 + 1")).toEqual({ kind: "result", result: 2 });
    },
    timeoutMs,
  );

  it(
    "does not let slow jobs delay the others",
    async () => {
      pool = createTestPool({ size: 2, slowJobMs: 100, timeoutMs: 60_000 });
      let ended = 0;
      const slow = Promise.allSettled(["for (;;);", "for (;;);"].map((code) => pool.run(code).finally(() => ended++)));
      for (let job = 0; job < 5; job++) expect(await pool.run("1 + 1")).toEqual({ kind: "result", result: 2 });
      expect(ended).toBe(0);
      await pool.close();
      await slow;
    },
    timeoutMs,
  );

  it(
    "rejects if no thread starts, too many jobs wait, or the pool is closed",
    async () => {
      pool = createTestPool({ url: new URL("data:text/javascript,throw new Error('no start')") });
      await expect(pool.run("1")).rejects.toThrow("no start");
      pool = createTestPool({ url: new URL("data:text/javascript,setInterval(() => {}, 1000)"), startTimeoutMs: 200 });
      await expect(pool.run("1")).rejects.toThrow("did not start in time");
      pool = createTestPool({ maxWaitingJobs: 1 });
      const jobs = ["for (;;);", "1", "2"].map((code) => pool.run(code));
      await expect(jobs[2]).rejects.toThrow("too many jobs wait");
      const rest = Promise.allSettled(jobs.slice(0, 2));
      await pool.close();
      expect(await rest).toEqual([0, 1].map(() => expect.objectContaining({ status: "rejected" })));
      await expect(pool.run("1")).rejects.toThrow("closed");
    },
    timeoutMs,
  );
});
