/** A 95 % confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the normal distribution. */
const z = 1.959963984540054;

/**
 * Computes the 95 % interval of a proportion of successes in independent trials. It is within 0 and 1, even for few trials and for no or
 * only successes. Returns null without trials. Wilson, J. Am. Stat. Assoc. 22, 1927.
 */
export function computeWilsonInterval(successes: number, trials: number): Interval | null {
  if (trials === 0) return null;
  const share = successes / trials;
  const spread = z * Math.sqrt((share * (1 - share)) / trials + (z * z) / (4 * trials * trials));
  const scale = 1 + (z * z) / trials;
  const middle = share + (z * z) / (2 * trials);
  return {
    low: successes === 0 ? 0 : Math.max(0, (middle - spread) / scale),
    high: successes === trials ? 1 : Math.min(1, (middle + spread) / scale),
  };
}
