/** How long things took, in milliseconds; null where nothing was timed. */
export interface LatencyMetrics {
  readonly p50: number | null;
  readonly p95: number | null;
  readonly max: number | null;
}

/** Each bin is this much longer than the one before. */
const growth = 1.005;
/** The shortest time that is told apart from none, in milliseconds. */
const shortest = 0.01;

/** Times counted in bins: what it keeps depends on their range, at most some 5,000 numbers, and not on how many there are. */
export interface LatencyCounts {
  readonly bins: Map<number, number>;
  count: number;
  min: number;
  max: number;
}

/** No times. */
export function noLatencies(): LatencyCounts {
  return { bins: new Map(), count: 0, min: Infinity, max: 0 };
}

/** Counts a time. What is no number of milliseconds is not counted. */
export function addLatency(latencies: LatencyCounts, milliseconds: number | null): void {
  if (milliseconds === null || !(milliseconds >= 0) || milliseconds === Infinity) return;
  const bin = Math.round(Math.log(Math.max(milliseconds, shortest)) / Math.log(growth));
  latencies.bins.set(bin, (latencies.bins.get(bin) ?? 0) + 1);
  latencies.count += 1;
  latencies.min = Math.min(latencies.min, milliseconds);
  latencies.max = Math.max(latencies.max, milliseconds);
}

/** Adds the times of others. */
export function addLatencies(latencies: LatencyCounts, more: LatencyCounts): void {
  for (const [bin, count] of more.bins) latencies.bins.set(bin, (latencies.bins.get(bin) ?? 0) + count);
  latencies.count += more.count;
  latencies.min = Math.min(latencies.min, more.min);
  latencies.max = Math.max(latencies.max, more.max);
}

/** Percentiles by nearest rank, within a quarter of a per cent; the shortest and the longest time are exact. */
export function latencyMetrics(latencies: LatencyCounts): LatencyMetrics {
  if (latencies.count === 0) return { p50: null, p95: null, max: null };
  return { p50: percentile(latencies, 0.5), p95: percentile(latencies, 0.95), max: latencies.max };
}

function percentile({ bins, count, min, max }: LatencyCounts, share: number): number {
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
