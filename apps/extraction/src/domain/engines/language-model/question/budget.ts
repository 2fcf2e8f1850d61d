import { countTokens } from "./parts.ts";

/** The tokens of a question that the lines of a document may have, and those that all examples may have together. */
export interface Budget {
  readonly document: number;
  readonly examples: number;
}

/** More would make answers longer than most endpoints write. */
const MOST: Budget = { document: 6_000, examples: 3_000 };
/** Less would cut documents into parts of a few lines. */
const LEAST: Budget = { document: 200, examples: 0 };
/** The shares of what the context has left beside the instructions. The other half is for the answer, which repeats what it quotes. */
const SHARES: Budget = { document: 0.35, examples: 0.15 };

/**
 * Returns the budget of a question, of which `fixed` texts are part in any case. `contextTokens` is how many tokens the question and its answer
 * may have together; undefined if it is not configured.
 */
export function toBudget(contextTokens: number | undefined, fixed: readonly string[]): Budget {
  if (contextTokens === undefined) return MOST;
  const left = contextTokens - fixed.reduce((sum, text) => sum + countTokens(text), 0);
  const share = (of: keyof Budget): number => Math.max(LEAST[of], Math.min(MOST[of], Math.floor(left * SHARES[of])));
  return { document: share("document"), examples: share("examples") };
}
