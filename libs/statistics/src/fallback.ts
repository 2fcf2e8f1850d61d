/**
 * Tests hypotheses in a fixed order, so that with a probability of at least 1 - `level`, no true one is rejected. Each has a share of the
 * level, and a rejected hypothesis passes what it had on to the next one. `getPValue` is called in this order, and not for hypotheses for
 * which nothing is left. Returns which hypotheses are rejected. The p values may depend on each other. Wiens, The fixed sequence
 * Bonferroni procedure, Pharmaceutical Statistics 2, 2003 (the fallback procedure).
 */
export function testInOrder(shares: readonly number[], level: number, getPValue: (index: number) => number): boolean[] {
  let left = 0;
  return shares.map((share, index) => {
    const own = share * level + left;
    const rejected = own > 0 && getPValue(index) <= own;
    left = rejected ? own : 0;
    return rejected;
  });
}
