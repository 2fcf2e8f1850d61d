/** What a language model used. The cost is null if nobody knows the prices. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
}

/** The use of nothing. */
const nothing: Usage = { inputTokens: 0, outputTokens: 0, cost: null };

/**
 * Adds what several questions, documents or opinions used. Null means that nothing was used; returns null if there is nothing else. The sum
 * has no cost if one that used tokens has none, because it would be too low.
 */
export function addUsage(uses: Iterable<Usage | null>): Usage | null {
  const used = [...uses].filter((usage) => usage !== null);
  return used.length === 0 ? null : used.reduce(addTwo, nothing);
}

function addTwo(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: addCosts(one, other),
  };
}

function addCosts(one: Usage, other: Usage): number | null {
  const costs = [one, other].filter(
    ({ inputTokens, outputTokens, cost }) => inputTokens + outputTokens > 0 || cost !== null,
  );
  return costs.length === 0 || costs.some(({ cost }) => cost === null)
    ? null
    : costs.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}
