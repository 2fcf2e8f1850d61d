import { splitChunks } from "./list-branches.ts";

/** The maximum number of IDs in one query or command. The embedded store finds this many by an index; for more, it reads the whole collection. */
export const maxIdsPerLoad = 200;

/** Returns what `load` finds for IDs, with at most {@link maxIdsPerLoad} of them in one call, in the order of the parts. */
export async function loadInParts<Document>(
  ids: readonly string[],
  load: (ids: readonly string[]) => Promise<Document[]>,
): Promise<Document[]> {
  return (await Promise.all(splitChunks(ids, maxIdsPerLoad).map(load))).flat();
}
