/** What a language model used. The cost is null without prices. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
}

/** Adds what a language model used for several files. Null if none used one. The cost is that of the files that have one. */
export function addUsage(files: readonly (Usage | null)[]): Usage | null {
  const used = files.filter((usage) => usage !== null);
  if (used.length === 0) return null;
  const costs = used.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return {
    inputTokens: sum(used.map(({ inputTokens }) => inputTokens)),
    outputTokens: sum(used.map(({ outputTokens }) => outputTokens)),
    cost: costs.length === 0 ? null : sum(costs),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
