/** A combination of values, one for each dimension. */
interface Combination {
  readonly about: Readonly<Record<string, string>>;
}

/** Returns a generator of numbers from 0 to 1, which are the same for the same seed (mulberry32, public domain). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the pairs of values of a combination, one for every two dimensions. */
export function getPairs({ about }: Combination): string[] {
  const values = Object.entries(about).map(([name, value]) => `${name}=${value}`);
  return values.flatMap((one, index) => values.slice(index + 1).map((other) => `${one} ${other}`));
}

/**
 * Chooses combinations, in random order, so that every pair of values that occurs in all of them occurs in the chosen ones. Those with
 * the most new pairs are chosen first, so the sample is small. It is the same for the same seed.
 */
export function getSample<T extends Combination>(all: readonly T[], seed: number): T[] {
  const next = random(seed);
  let others = all.map((one) => ({ one, pairs: getPairs(one), at: next() })).sort((a, b) => a.at - b.at);
  const covered = new Set<string>();
  const chosen: T[] = [];
  for (let wanted = others[0]?.pairs.length ?? 0; wanted > 0; wanted -= 1) {
    others = others.filter(({ one, pairs }) => {
      if (pairs.filter((pair) => !covered.has(pair)).length < wanted) return true;
      chosen.push(one);
      for (const pair of pairs) covered.add(pair);
      return false;
    });
  }
  return chosen;
}
