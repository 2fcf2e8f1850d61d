import { LRUCache } from "lru-cache";
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

/** Creates the states with a limit of about `maxBytes`, which is more than any of them has. Beyond it, the least recently used are evicted. */
export function createLearnedStates(maxBytes: number): LearnedStates {
  const states = new LRUCache<string, LearnedScorer>({ maxSize: maxBytes });
  return {
    add(key, state) {
      const { weights, centroids, rarities } = state;
      const size = 1 + weights.byteLength + centroids.byteLength + rarities.length * bytesPerFeature;
      states.set(key, createLearnedScorer(state), { size });
    },
    remove: (key) => void states.delete(key),
    get: (key) => states.get(key),
  };
}
