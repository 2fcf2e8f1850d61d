/**
 * Computes the probability of at most this many events in independent trials, each of which happens with a probability. It is the p value of
 * the hypothesis that the true probability is at least `probability`: it is at most 1 - c exactly if the upper Clopper-Pearson bound of the
 * confidence c is at most `probability`. Clopper and Pearson, Biometrika 26, 1934.
 */
export function computeBinomialTail(events: number, trials: number, probability: number): number {
  if (events >= trials || probability <= 0) return 1;
  if (probability >= 1) return 0;
  const odds = Math.log(probability) - Math.log1p(-probability);
  // Terms are kept as logarithms, because those of many trials are smaller than the smallest number.
  let term = trials * Math.log1p(-probability);
  const terms = [term];
  for (let event = 0; event < events; event += 1) {
    term += Math.log((trials - event) / (event + 1)) + odds;
    terms.push(term);
  }
  const greatest = Math.max(...terms);
  return Math.min(1, Math.exp(greatest) * terms.reduce((sum, each) => sum + Math.exp(each - greatest), 0));
}
