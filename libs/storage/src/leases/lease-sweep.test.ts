import type { ChangeStream } from "../changes/stream-watch.ts";
import { createLeaseSweep } from "./lease-sweep.ts";

const [intervalMs, leaseMs] = [1_000, 30_000];

describe("a sweep of leases", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Starts a sweep, whose change stream gives its next response when `respond` is called. */
  function start(exclusive: boolean, hasStreams = true) {
    let leaseEnd: Date | undefined;
    let answer: (change: unknown) => void = () => undefined;
    const begunAt: number[] = [];
    const start = performance.now();
    const now = (): number => performance.now() - start;
    const stream: ChangeStream = {
      closed: false,
      tryNext: () =>
        new Promise((resolve, reject) => {
          answer = resolve;
          if (!hasStreams) reject(new Error("unsupported"));
        }),
      close: async () => answer(null),
    };
    const sweep = createLeaseSweep({
      ...{ intervalMs, leaseMs, exclusive, now },
      leases: { getNextLeaseEnd: async () => leaseEnd, watchFree: () => stream },
      work: async () => void begunAt.push(now() / 1_000),
      onError: () => undefined,
    });
    sweep.start();
    return {
      sweep,
      begunAt,
      respond: (change: unknown) => answer(change),
      endLeaseAt(seconds: number) {
        leaseEnd = new Date(seconds * 1_000);
      },
    };
  }

  it("begins rounds less often, but at least once in the time in which a new lease could end", async () => {
    const { sweep, begunAt, respond } = start(false);
    respond(null);
    await vi.advanceTimersByTimeAsync(130_000);
    expect(begunAt).toEqual([1, 2, 4, 8, 16, 30, 60, 90, 120]);
    await sweep.stop();
  });

  it("waits until the next lease ends, and reads again if it is not released then", async () => {
    const { sweep, begunAt, respond, endLeaseAt } = start(false);
    respond(null);
    await vi.advanceTimersByTimeAsync(33_000);
    endLeaseAt(70);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(begunAt.slice(6)).toEqual([60, 70, 71, 72, 73]);
    await sweep.stop();
  });

  it("begins a round soon after a lease was released", async () => {
    const { sweep, begunAt, respond } = start(false);
    respond(null);
    await vi.advanceTimersByTimeAsync(40_000);
    respond({});
    await vi.advanceTimersByTimeAsync(1_500);
    expect(begunAt.slice(6)).toEqual([41]);
    await sweep.stop();
  });

  it("begins a round in every interval without a change stream", async () => {
    const { sweep, begunAt } = start(false, false);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(begunAt).toEqual([1, 2, 3, 4, 5]);
    await sweep.stop();
  });

  it("opens no change stream if no other process uses the database", async () => {
    const { sweep, begunAt } = start(true, false);
    await vi.advanceTimersByTimeAsync(130_000);
    expect(begunAt).toEqual([1, 2, 4, 8, 16, 30, 60, 120]);
    await sweep.stop();
  });
});
