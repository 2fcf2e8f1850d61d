import type { Worker } from "node:worker_threads";
import { limitTime } from "./time-limit.ts";

describe("the time limit of a job", () => {
  afterEach(() => void vi.useRealTimers());

  it("counts the time on the clock where the processor time of a thread is unknown", async () => {
    vi.useFakeTimers();
    const expire = vi.fn();
    const end = limitTime({} as Worker, 1_000, expire);
    await vi.advanceTimersByTimeAsync(990);
    expect(expire).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(110);
    expect(expire).toHaveBeenCalledTimes(1);
    end();
  });
});
