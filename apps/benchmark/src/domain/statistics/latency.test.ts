import fc from "fast-check";
import { getPropertySeed } from "@switchyard/matching/testing";
import { addLatencies, addLatency, computeLatencyMetrics, createLatencyCounts } from "./latency.ts";

const seed = getPropertySeed();

function count(times: readonly (number | null)[]) {
  const latencies = createLatencyCounts();
  for (const time of times) addLatency(latencies, time);
  return latencies;
}

describe(`latencies (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it("are within 0.25 % of the exact percentiles, and can be merged", () => {
    const times = fc.array(fc.double({ min: 0.01, max: 1e7, noNaN: true }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(times, fc.nat(), (all, cut) => {
        const sorted = [...all].sort((one, other) => one - other);
        const { p50, p95, max } = computeLatencyMetrics(count(all));
        const exact = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
        expect(Math.abs(p50! / exact(0.5) - 1)).toBeLessThan(0.002_51);
        expect(Math.abs(p95! / exact(0.95) - 1)).toBeLessThan(0.002_51);
        expect(max).toBe(sorted.at(-1));
        const merged = count(all.slice(0, cut % all.length));
        addLatencies(merged, count(all.slice(cut % all.length)));
        expect(computeLatencyMetrics(merged)).toEqual({ p50, p95, max });
      }),
      { seed, numRuns: 100 },
    );
  });

  it("are exact for one and two values, and null for none", () => {
    expect(computeLatencyMetrics(count([20]))).toEqual({ p50: 20, p95: 20, max: 20 });
    expect(computeLatencyMetrics(count([20, 30.123]))).toEqual({ p50: 20, p95: 30.123, max: 30.123 });
    expect(computeLatencyMetrics(count([null, NaN, -1, Infinity]))).toEqual({ p50: null, p95: null, max: null });
    expect(computeLatencyMetrics(count([0, 0, 0]))).toEqual({ p50: 0, p95: 0, max: 0 });
  });
});
