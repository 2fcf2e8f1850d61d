import type { LabeledText } from "./labeled-text.ts";

/** The maximum number of texts that are learned from together, so that learning takes seconds, whatever the number of reviews. */
export const MAX_LEARNED_TEXTS = 1_000;

/** Returns the number of texts of each route that can be kept: the highest for which all together are at most `max`. */
export function getQuota(sizes: readonly number[], max: number = MAX_LEARNED_TEXTS): number {
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
 * Selects at most `max` texts, and returns them in order of their IDs. Where there are more, those with the lowest IDs of the routes with
 * the most texts are left out: IDs of records are in order of time, and the latest documents say most about those to come.
 */
export function selectTexts(texts: readonly LabeledText[], max: number = MAX_LEARNED_TEXTS): LabeledText[] {
  const inOrder = texts.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  if (texts.length <= max) return inOrder;
  const byRoute = Map.groupBy(inOrder, ({ routeId }) => routeId);
  const quota = getQuota(
    [...byRoute.values()].map(({ length }) => length),
    max,
  );
  const kept = new Set([...byRoute.values()].flatMap((each) => each.slice(-quota)));
  return inOrder.filter((text) => kept.has(text));
}
