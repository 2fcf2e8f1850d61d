import { createLearnedScorer } from "../domain/learning/learned-scorer.ts";
import type { LearnedScorer } from "../domain/learning/learned-scorer.ts";
import type { LearnedState } from "../domain/learning/learned-state.ts";

/** What was learned, by keys that identify it. */
export interface LearnedStates {
  add(key: string, state: LearnedState): void;
  remove(key: string): void;
  get(key: string): LearnedScorer | undefined;
}

/** The approximate memory of a feature with its place in the vocabulary. */
const bytesPerFeature = 120;

/** Creates the states with a limit of about `maxBytes`. Beyond it, the least recently used is evicted; the latest stays. */
export function createLearnedStates(maxBytes: number): LearnedStates {
  /** In order of use, the least recently used first. */
  const states = new Map<string, { readonly score: LearnedScorer; readonly bytes: number }>();
  let bytes = 0;

  function remove(key: string): void {
    bytes -= states.get(key)?.bytes ?? 0;
    states.delete(key);
  }

  return {
    add(key, state) {
      remove(key);
      const size = state.weights.byteLength + state.centroids.byteLength + state.rarities.length * bytesPerFeature;
      states.set(key, { score: createLearnedScorer(state), bytes: size });
      bytes += size;
      for (const oldest of states.keys()) {
        if (bytes <= maxBytes || states.size === 1) break;
        remove(oldest);
      }
    },
    remove,
    get(key) {
      const found = states.get(key);
      if (found === undefined) return undefined;
      states.delete(key);
      states.set(key, found);
      return found.score;
    },
  };
}
