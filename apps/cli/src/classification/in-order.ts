/**
 * Does a task for items, at most `limit` at once, and reports the outcomes in the order of the items. No further item is begun
 * once `goesOn` says no; those that were begun are always reported. Resolves with how many were. The task must not reject.
 */
export async function eachInOrder<Item, Outcome>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Outcome>,
  report: (outcome: Outcome, item: Item) => void,
  goesOn: () => boolean,
): Promise<number> {
  const waiting = new Map<number, Outcome>();
  let begun = 0;
  let reported = 0;
  const work = async (): Promise<void> => {
    while (begun < items.length && goesOn()) {
      const index = begun;
      begun += 1;
      waiting.set(index, await task(items[index] as Item));
      while (waiting.has(reported)) {
        report(waiting.get(reported) as Outcome, items[reported] as Item);
        waiting.delete(reported);
        reported += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return begun;
}
