import { getProblemFacts } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import { createConcurrencyLimiter } from "./concurrency-limiter.ts";

const getReason = async (call: Promise<unknown>) =>
  getProblemFacts(
    await call.then(
      () => undefined,
      (error: unknown) => error,
    ),
  ).reason;

describe("a concurrency limiter", () => {
  it("starts calls up to the limit, queues some in order, and rejects all others at once", async () => {
    const limiter = createConcurrencyLimiter({
      maxConcurrent: 2,
      maxWaiting: 2,
      maxWaitMs: 60_000,
      targetLatencyMs: 60_000,
    });
    const order: number[] = [];
    const begun = [await limiter.acquire(), await limiter.acquire()];
    const waiting = [1, 2].map((n) => limiter.acquire().then((release) => (order.push(n), release)));
    expect(await getReason(limiter.acquire())).toBe("OVERLOADED");
    begun[0]?.();
    begun[0]?.();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(order).toEqual([1, 2]);
    begun[1]?.();
    const again = [await limiter.acquire(), await limiter.acquire()];
    expect(again).toHaveLength(2);
  });

  it("starts a call at once only if there is a place and no other call waits", async () => {
    const limits = { maxConcurrent: 1, maxWaiting: 1, maxWaitMs: 60_000, targetLatencyMs: 60_000 };
    let refusals = 0;
    const limiter = createConcurrencyLimiter(limits, () => (refusals += 1));
    expect(limiter.acquireAtOnce(AbortSignal.abort())).toBeUndefined();
    const end = limiter.acquireAtOnce();
    expect(limiter.acquireAtOnce()).toBeUndefined();
    const waiting = limiter.acquire();
    end?.();
    expect(limiter.acquireAtOnce()).toBeUndefined();
    (await waiting)();
    limiter.acquireAtOnce()?.();
    expect(refusals).toBe(0);
    (await limiter.acquire())();
  });

  it("rejects a call that waited too long, and drops one that was canceled", async () => {
    const limiter = createConcurrencyLimiter({
      maxConcurrent: 1,
      maxWaiting: 2,
      maxWaitMs: 30,
      targetLatencyMs: 60_000,
    });
    const end = await limiter.acquire();
    const gone = new AbortController();
    const given = limiter.acquire(gone.signal);
    const late = limiter.acquire();
    gone.abort();
    expect(await getReason(given)).toBe("CANCELED");
    expect(await getReason(late)).toBe("OVERLOADED");
    end();
    (await limiter.acquire())();
    (await limiter.acquire())();
  });

  it("rejects a call at once if it would wait too long, judging by earlier calls", async () => {
    const limiter = createConcurrencyLimiter({
      maxConcurrent: 1,
      maxWaiting: 1_000,
      maxWaitMs: 20_000,
      targetLatencyMs: 60_000,
    });
    const [first, second] = [await limiter.acquire(), limiter.acquire()];
    await sleep(1_100);
    first();
    const end = await second;
    // The mean is at least a tenth of a second, so not many more than one hundred calls may wait.
    const calls = Array.from({ length: 1_000 }, () => limiter.acquire());
    const begun: (() => void)[] = [];
    const outcomes = calls.map((call) =>
      call.then(
        (done) => begun.push(done),
        () => "refused",
      ),
    );
    await Promise.race(outcomes);
    end();
    for (let left = calls.length; left > 0; left -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
      begun.shift()?.();
    }
    const refused = (await Promise.all(outcomes)).filter((outcome) => outcome === "refused");
    expect(refused.length).toBeGreaterThan(500);
    expect(refused.length).toBeLessThan(1_000);
  });

  it("lowers its limit while calls are rejected and take too long", async () => {
    const limiter = createConcurrencyLimiter({
      maxConcurrent: 32,
      maxWaiting: 1,
      maxWaitMs: 60_000,
      targetLatencyMs: 100,
    });
    const acquireAll = () => Promise.all(Array.from({ length: 32 }, () => limiter.acquire()));
    const slow = await acquireAll();
    await sleep(1_000);
    slow.forEach((release) => release());
    const active = await acquireAll();
    let begun = false;
    const waiting = limiter.acquire().then((release) => ((begun = true), release));
    await sleep(1_000);
    expect(await getReason(limiter.acquire())).toBe("OVERLOADED");
    // Each call takes about 60 ms of work, so the limit is four.
    active.splice(0, 28).forEach((release) => release());
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(false);
    active.pop()?.();
    (await waiting)();
    active.forEach((release) => release());
    // The limit recovers after a while without refusals.
    await sleep(1_500);
    expect(await acquireAll()).toHaveLength(32);
  });

  it("does not lower its limit because calls wait for something outside", async () => {
    const limiter = createConcurrencyLimiter({
      maxConcurrent: 8,
      maxWaiting: 1,
      maxWaitMs: 60_000,
      targetLatencyMs: 10,
    });
    const acquireAll = () => Promise.all(Array.from({ length: 8 }, () => limiter.acquire()));
    (await limiter.acquire())();
    const slow = await acquireAll();
    await sleep(300);
    slow.forEach((release) => release("idle"));
    const active = await acquireAll();
    const waiting = limiter.acquire();
    expect(await getReason(limiter.acquire())).toBe("OVERLOADED");
    active.pop()?.("idle");
    (await waiting)();
    active.forEach((release) => release("idle"));
  });

  it("predicts whether a call is rejected", async () => {
    const limiter = createConcurrencyLimiter({
      maxConcurrent: 1,
      maxWaiting: 1,
      maxWaitMs: 60_000,
      targetLatencyMs: 60_000,
    });
    expect(limiter.refuses()).toBe(false);
    const end = await limiter.acquire();
    expect(limiter.refuses()).toBe(false);
    const waiting = limiter.acquire();
    expect(limiter.refuses()).toBe(true);
    end();
    (await waiting)();
    expect(limiter.refuses()).toBe(false);
  });
});
