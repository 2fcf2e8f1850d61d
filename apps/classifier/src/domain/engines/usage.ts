import type { ModelUsage } from "./engine.ts";

/** Adds what two opinions have used. Null is no use at all; a sum with an unknown cost has an unknown cost. */
export function addUsage(one: ModelUsage | null, other: ModelUsage | null): ModelUsage | null {
  if (one === null || other === null) return one ?? other;
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    cost: one.cost === null || other.cost === null ? null : one.cost + other.cost,
  };
}
