/** What has a value in each of several dimensions. */
interface Combination {
  readonly about: Readonly<Record<string, string>>;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32, public domain). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The pairs of values of a combination, one of each two dimensions. */
export function getPairs({ about }: Combination): string[] {
  const values = Object.entries(about).map(([name, value]) => `${name}=${value}`);
  return values.flatMap((one, index) => values.slice(index + 1).map((other) => `${one} ${other}`));
}

/**
 * A sample, in random order, in which every pair of values that occurs in all combinations occurs; filled up to `count`. The same
 * for the same seed.
 */
export function getSample<T extends Combination>(all: readonly T[], count: number, seed: number): T[] {
  const next = random(seed);
  const shuffled = all.map((one) => ({ one, at: next() })).sort((a, b) => a.at - b.at);
  const covered = new Set<string>();
  const chosen: T[] = [];
  const others: T[] = [];
  for (const { one } of shuffled) {
    const pairs = getPairs(one).filter((pair) => !covered.has(pair));
    (pairs.length > 0 ? chosen : others).push(one);
    for (const pair of pairs) covered.add(pair);
  }
  return [...chosen, ...others.slice(0, Math.max(0, count - chosen.length))];
}
