import { createBackoff, reconnectDelays } from "./backoff.ts";

describe("createBackoff", () => {
  it("grows to the maximum, and begins again after a reset", () => {
    const backoff = createBackoff(reconnectDelays, () => 0.5);
    const delays = Array.from({ length: 6 }, () => Math.round(backoff.next()));
    expect(delays).toEqual([100, 160, 256, 410, 500, 500]);
    backoff.reset();
    expect(Math.round(backoff.next())).toBe(100);
  });

  it("varies by a fifth", () => {
    for (const [random, delay] of [
      [0, 80],
      [1, 120],
    ] as const) {
      expect(createBackoff(reconnectDelays, () => random).next()).toBeCloseTo(delay);
    }
  });
});
