/** Percentiles of latencies in milliseconds, or null without latencies. */
export interface LatencyMetrics {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly max: number | null;
}

/** The ratio of a bin to the previous one. */
const growth = 1.005;
/** The latency of the first bin. Shorter latencies are counted there. */
const minLatencyMs = 0.01;

/** A histogram of latencies. Its size depends on their range, with at most about 5,000 bins, and not on their number. */
export interface LatencyCounts {
  readonly bins: Map<number, number>;
  count: number;
  min: number;
  max: number;
}

/** Creates an empty histogram. */
export function createLatencyCounts(): LatencyCounts {
  return { bins: new Map(), count: 0, min: Infinity, max: 0 };
}

/** Adds a latency. Null, negative and infinite values and NaN are ignored. */
export function addLatency(latencies: LatencyCounts, milliseconds: number | null): void {
  if (milliseconds === null || !(milliseconds >= 0) || milliseconds === Infinity) return;
  const bin = Math.round(Math.log(Math.max(milliseconds, minLatencyMs)) / Math.log(growth));
  latencies.bins.set(bin, (latencies.bins.get(bin) ?? 0) + 1);
  latencies.count += 1;
  latencies.min = Math.min(latencies.min, milliseconds);
  latencies.max = Math.max(latencies.max, milliseconds);
}

/** Adds the latencies of another histogram. */
export function addLatencies(latencies: LatencyCounts, more: LatencyCounts): void {
  for (const [bin, count] of more.bins) latencies.bins.set(bin, (latencies.bins.get(bin) ?? 0) + count);
  latencies.count += more.count;
  latencies.min = Math.min(latencies.min, more.min);
  latencies.max = Math.max(latencies.max, more.max);
}

/** Computes percentiles by nearest rank, within 0.25 %. The minimum and the maximum are exact. */
export function computeLatencyMetrics(latencies: LatencyCounts): LatencyMetrics {
  if (latencies.count === 0) return { p50: null, p95: null, max: null };
  return { p50: computePercentile(latencies, 0.5), p95: computePercentile(latencies, 0.95), max: latencies.max };
}

function computePercentile({ bins, count, min, max }: LatencyCounts, share: number): number {
  const rank = Math.max(1, Math.ceil(share * count));
  if (rank === 1) return min;
  if (rank === count) return max;
  let seen = 0;
  for (const bin of [...bins.keys()].sort((one, other) => one - other)) {
    seen += bins.get(bin) ?? 0;
    if (seen >= rank) return Math.min(max, Math.max(min, growth ** bin));
  }
  return max;
}
