import { getProblemFacts } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import { createTurns } from "./turns.ts";

const getReason = async (call: Promise<unknown>) =>
  getProblemFacts(
    await call.then(
      () => undefined,
      (error: unknown) => error,
    ),
  ).reason;

describe("turns", () => {
  it("begin so many calls, let so many wait in their order, and refuse all others at once", async () => {
    const turns = createTurns({ maxUnderWay: 2, maxWaiting: 2, maxWaitMs: 60_000, targetLatencyMs: 60_000 });
    const order: number[] = [];
    const begun = [await turns.take(), await turns.take()];
    const waiting = [1, 2].map((n) => turns.take().then((end) => (order.push(n), end)));
    expect(await getReason(turns.take())).toBe("OVERLOADED");
    begun[0]?.();
    begun[0]?.();
    (await waiting[0])?.();
    (await waiting[1])?.();
    expect(order).toEqual([1, 2]);
    begun[1]?.();
    const again = [await turns.take(), await turns.take()];
    expect(again).toHaveLength(2);
  });

  it("refuse a call that waited too long, and let go of one that was given up", async () => {
    const turns = createTurns({ maxUnderWay: 1, maxWaiting: 2, maxWaitMs: 30, targetLatencyMs: 60_000 });
    const end = await turns.take();
    const gone = new AbortController();
    const given = turns.take(gone.signal);
    const late = turns.take();
    gone.abort();
    expect(await getReason(given)).toBe("CANCELED");
    expect(await getReason(late)).toBe("OVERLOADED");
    end();
    (await turns.take())();
    (await turns.take())();
  });

  it("refuse a call at once that would wait too long, by how long turns have lasted", async () => {
    const turns = createTurns({ maxUnderWay: 1, maxWaiting: 1_000, maxWaitMs: 20_000, targetLatencyMs: 60_000 });
    const [first, second] = [await turns.take(), turns.take()];
    await sleep(1_100);
    first();
    const end = await second;
    // The mean is a tenth of a second or somewhat more: not many more than two hundred may wait.
    const calls = Array.from({ length: 1_000 }, () => turns.take());
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

  it("are fewer at a time while calls are refused and turns last too long", async () => {
    const turns = createTurns({ maxUnderWay: 32, maxWaiting: 1, maxWaitMs: 60_000, targetLatencyMs: 100 });
    const takeAll = () => Promise.all(Array.from({ length: 32 }, () => turns.take()));
    const slow = await takeAll();
    await sleep(1_000);
    slow.forEach((end) => end());
    const underWay = await takeAll();
    let begun = false;
    const waiting = turns.take().then((end) => ((begun = true), end));
    await sleep(1_000);
    expect(await getReason(turns.take())).toBe("OVERLOADED");
    // Each turn costs some 60 ms, so four are left under way.
    underWay.splice(0, 28).forEach((end) => end());
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toBe(false);
    underWay.pop()?.();
    (await waiting)();
    underWay.forEach((end) => end());
    // Nobody was refused for a while.
    await sleep(1_500);
    expect(await takeAll()).toHaveLength(32);
  });

  it("tell beforehand whether a call is refused", async () => {
    const turns = createTurns({ maxUnderWay: 1, maxWaiting: 1, maxWaitMs: 60_000, targetLatencyMs: 60_000 });
    expect(turns.refuses()).toBe(false);
    const end = await turns.take();
    expect(turns.refuses()).toBe(false);
    const waiting = turns.take();
    expect(turns.refuses()).toBe(true);
    end();
    (await waiting)();
    expect(turns.refuses()).toBe(false);
  });
});
