import type { LabelledText } from "./labelled-text.ts";

/** The maximum number of texts that are learned from together, so that learning takes seconds, whatever the number of reviews. */
export const MAX_LEARNED_TEXTS = 1_000;

/** Collects labelled texts in order of their IDs, and keeps those that are learned from. */
export interface TextSelection {
  add(texts: readonly LabelledText[]): void;
  /** Returns the selected texts in order of their IDs. */
  get(): LabelledText[];
}

/** Returns the number of texts of each route that can be kept: the highest for which all together are at most `max`. */
export function getQuota(sizes: readonly number[], max: number): number {
  let quota = 0;
  let left = max;
  for (const [place, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const share = Math.floor(left / (sizes.length - place));
    quota = Math.max(quota, Math.min(size, share));
    if (size > share) return Math.max(1, share);
    left -= size;
  }
  return Math.max(1, quota);
}

/**
 * Creates a selection of at most `max` texts. Where there are more, those with the lowest IDs of the routes with the most texts are left
 * out: IDs of records are in order of time, and the latest documents say most about those to come.
 */
export function createTextSelection(max: number = MAX_LEARNED_TEXTS): TextSelection {
  const sizes = new Map<string | null, number>();
  const kept = new Map<string | null, LabelledText[]>();
  let count = 0;

  function prune(): void {
    const quota = getQuota([...sizes.values()], max);
    count = 0;
    for (const [routeId, texts] of kept) {
      const latest = texts.slice(-quota);
      kept.set(routeId, latest);
      count += latest.length;
    }
  }

  return {
    add(texts) {
      for (const text of texts) {
        sizes.set(text.routeId, (sizes.get(text.routeId) ?? 0) + 1);
        const known = kept.get(text.routeId);
        if (known === undefined) kept.set(text.routeId, [text]);
        else known.push(text);
        count += 1;
      }
      if (count > 2 * max) prune();
    },
    get() {
      if (count > max) prune();
      return [...kept.values()].flat().sort((left, right) => (left.id < right.id ? -1 : 1));
    },
  };
}
