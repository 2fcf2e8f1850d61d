import { Buffer } from "node:buffer";

/** An item with its sort key. */
export interface Keyed {
  readonly key: Buffer;
}

/** The number of items that are sorted at once. The sorted runs are then merged. */
const runLength = 256;

/** Sorts items by the bytes of their keys. The sort is stable, and yields when `isOver` returns true. */
export function* sortByKey<Item extends Keyed>(
  items: readonly Item[],
  isOver: () => boolean,
): Generator<undefined, Item[], void> {
  let runs: Item[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    runs.push(items.slice(at, at + runLength).sort((left, right) => Buffer.compare(left.key, right.key)));
    if (isOver()) yield undefined;
  }
  while (runs.length > 1) {
    const longer: Item[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      const [left = [], right = []] = runs.slice(at, at + 2);
      longer.push(yield* mergeByKey(left, right, isOver));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

function* mergeByKey<Item extends Keyed>(
  left: readonly Item[],
  right: readonly Item[],
  isOver: () => boolean,
): Generator<undefined, Item[], void> {
  const merged: Item[] = [];
  for (let [at, other] = [0, 0]; ;) {
    const [first, second] = [left[at], right[other]];
    if (first !== undefined && (second === undefined || Buffer.compare(first.key, second.key) <= 0)) {
      merged.push(first);
      at += 1;
    } else if (second !== undefined) {
      merged.push(second);
      other += 1;
    } else return merged;
    if (isOver()) yield undefined;
  }
}
