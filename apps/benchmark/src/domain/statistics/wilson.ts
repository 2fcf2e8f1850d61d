/** An interval that holds the true figure with 95 % confidence. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the normal distribution. */
const z = 1.959963984540054;

/**
 * The 95 % interval of a plain proportion: so many successes in so many independent trials. Never beyond 0 and 1, and sensible for few
 * trials and for none or all successes. Null without trials. Wilson, J. Am. Stat. Assoc. 22, 1927.
 */
export function wilson(successes: number, trials: number): Interval | null {
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
