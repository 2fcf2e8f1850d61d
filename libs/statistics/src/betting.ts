/** How many values are assumed before the first one, so that a bet does not follow a few values. */
const assumed = 50;
/** The greatest bet, as a share of the one that could lose everything. */
const maxStake = 0.999;

/** What is assumed about values that are tested: the excess of losses over an allowed loss. */
export interface Excess {
  /** The upper bound of a value. Values may be as low as -1 / `maxStake` times any finite number. */
  readonly maximum: number;
  /** The mean and the mean square that are expected before the first value. Any are valid; good ones make the test more powerful. */
  readonly expected: { readonly mean: number; readonly square: number };
}

/**
 * Computes a p value of the hypothesis that the mean of independent, bounded values is at least 0, whatever their distribution, for any
 * number of values. A bettor who bets against the hypothesis in a fair game multiplies the capital by 1 - b·z for each value z, where the bet
 * b depends on earlier values only. If the hypothesis is true, the capital reaches 1/p with a probability of at most p (Ville, Étude
 * critique de la notion de collectif, 1939). Bets are mean / mean square of the values so far, which is close to the best for small bets.
 * Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, J. R. Stat. Soc. B 86, 2024.
 */
export function computeBettingPValue(values: Iterable<number>, { maximum, expected }: Excess): number {
  const limit = maxStake / maximum;
  let [sum, squares] = [assumed * expected.mean, assumed * expected.square];
  let [capital, best] = [0, 0];
  for (const value of values) {
    const bet = Math.min(limit, Math.max(0, -sum / squares));
    capital += Math.log1p(-bet * value);
    best = Math.max(best, capital);
    sum += value;
    squares += value * value;
  }
  return Math.exp(-best);
}
