import { setTimeout as sleep } from "node:timers/promises";
import { createSweep } from "./sweep.ts";

describe("createSweep", () => {
  it("repeats its work until it is stopped, one round at a time", async () => {
    let rounds = 0;
    let atOnce = 0;
    let most = 0;
    const sweep = createSweep({
      intervalMs: 1,
      work: async () => {
        rounds += 1;
        atOnce += 1;
        most = Math.max(most, atOnce);
        await sleep(3);
        atOnce -= 1;
      },
      onError: () => undefined,
    });
    sweep.start();
    while (rounds < 3) await Promise.all([sweep.now(), sweep.now(), sleep(2)]);
    await sweep.stop();
    expect(atOnce).toBe(0);
    const ended = rounds;
    await sleep(20);
    expect([most, rounds]).toEqual([1, ended]);
  });

  it("runs another round for `now` while one is running", async () => {
    const log: string[] = [];
    const release: (() => void)[] = [];
    const sweep = createSweep({
      intervalMs: 1000,
      work: () => {
        log.push("begun");
        return new Promise<void>((resolve) => release.push(resolve)).then(() => void log.push("ended"));
      },
      onError: () => undefined,
    });
    const first = sweep.now();
    const second = sweep.now();
    const third = sweep.now();
    release[0]?.();
    await first;
    await sleep(1);
    release[1]?.();
    await Promise.all([second, third]);
    expect(log).toEqual(["begun", "ended", "begun", "ended"]);
  });

  it("reports errors and continues", async () => {
    const errors: unknown[] = [];
    const sweep = createSweep({
      intervalMs: 1,
      work: () => Promise.reject(new Error("no")),
      onError: (error) => errors.push(error),
    });
    sweep.start();
    while (errors.length < 2) await sleep(1);
    await sweep.stop();
    expect(errors[0]).toEqual(new Error("no"));
  });

  it("begins its rounds less and less often if it idles, and rare ones with those of other sweeps, until it is touched", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    try {
      const begunAt: number[] = [];
      const start = performance.now();
      const sweep = createSweep({
        intervalMs: 1_000,
        idles: () => true,
        work: async () => void begunAt.push((performance.now() - start) / 1_000),
        onError: () => undefined,
      });
      sweep.start();
      await vi.advanceTimersByTimeAsync(950_000);
      expect(begunAt).toEqual([1, 2, 4, 8, 16, 30, 60, 120, 240, 480, 780]);
      sweep.touch();
      await vi.advanceTimersByTimeAsync(500);
      sweep.touch();
      await vi.advanceTimersByTimeAsync(5_000);
      expect(begunAt.slice(11)).toEqual([951, 952, 953.5]);
      await sweep.stop();
      sweep.touch();
      await vi.advanceTimersByTimeAsync(950_000);
      expect(begunAt).toHaveLength(14);
    } finally {
      vi.useRealTimers();
    }
  });
});
