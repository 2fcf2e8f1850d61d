/**
 * Computes the p value of McNemar's exact test, two-sided: the probability of a split of the discordant pairs that is at least as uneven, if
 * both directions are equally probable. It is 1 without discordant pairs. McNemar, Psychometrika 12, 1947; exact form: min(1, 2 * P(X <=
 * min(b, c))) with X binomial of b + c trials and probability one half.
 */
export function computeMcNemarP(one: number, other: number): number {
  const [least, pairs] = [Math.min(one, other), one + other];
  // The logarithm of the greatest term, from which the smaller ones follow.
  let log = -pairs * Math.LN2;
  for (let count = 1; count <= least; count += 1) log += Math.log((pairs - count + 1) / count);
  let term = Math.exp(log);
  let sum = 0;
  for (let count = least; count >= 0 && term > 0; count -= 1) {
    sum += term;
    term *= count / (pairs - count + 1);
  }
  return Math.min(1, 2 * sum);
}

/**
 * Adjusts p values for the number of tests, so that the probability of any false rejection is at most the level that they are compared
 * with. Null values are not tested, and remain null. Holm, Scandinavian Journal of Statistics 6, 1979.
 */
export function adjustByHolm(pValues: readonly (number | null)[]): (number | null)[] {
  const tests = pValues.flatMap((p, index) => (p === null ? [] : [{ p, index }]));
  const adjusted: (number | null)[] = pValues.map(() => null);
  let least = 0;
  for (const [rank, { p, index }] of tests.sort((one, other) => one.p - other.p).entries()) {
    least = Math.max(least, Math.min(1, p * (tests.length - rank)));
    adjusted[index] = least;
  }
  return adjusted;
}
