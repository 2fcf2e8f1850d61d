/**
 * Runs a task for each item, at most `limit` at a time, and reports the outcomes in the order of the items. Once `shouldContinue`
 * returns false, no further task is started; the started ones are still reported. Resolves with their number. Tasks must not reject.
 */
export async function runInOrder<Item, Outcome>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Outcome>,
  report: (outcome: Outcome, item: Item) => void,
  shouldContinue: () => boolean,
): Promise<number> {
  const waiting = new Map<number, Outcome>();
  let started = 0;
  let reported = 0;
  const work = async (): Promise<void> => {
    while (started < items.length && shouldContinue()) {
      const index = started;
      started += 1;
      waiting.set(index, await task(items[index] as Item));
      while (waiting.has(reported)) {
        report(waiting.get(reported) as Outcome, items[reported] as Item);
        waiting.delete(reported);
        reported += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  return started;
}
