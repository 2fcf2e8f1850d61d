/**
 * Reads one page of a list whose documents match one of several conditions, with one query for each condition, so that each uses its own
 * index however a planner treats `$or`. `find` returns at most `limit` documents in the order of the list. So does this function, without
 * duplicates.
 */
export async function readBranches<Document extends { readonly _id: string }, Branch>(
  branches: readonly Branch[],
  find: (branch: Branch) => Promise<Document[]>,
  compare: (left: Document, right: Document) => number,
  limit: number,
): Promise<Document[]> {
  const [only, ...others] = await Promise.all(branches.map(find));
  if (others.length === 0) return only ?? [];
  const all = [...(only ?? []), ...others.flat()].sort(compare);
  return all.filter(({ _id }, at) => all[at - 1]?._id !== _id).slice(0, limit);
}

/** Returns all combinations of one element of each list, in the order of the lists. */
export function getCombinations<Value>(...lists: readonly (readonly (readonly Value[])[])[]): Value[][] {
  return lists.reduce<Value[][]>(
    (made, list) => made.flatMap((before) => list.map((each) => [...before, ...each])),
    [[]],
  );
}

/** Splits values into lists of at most `size`, in order. */
export function splitChunks<Value>(values: readonly Value[], size: number): Value[][] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, at) => values.slice(at * size, (at + 1) * size));
}
