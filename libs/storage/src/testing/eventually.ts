import { setTimeout as sleep } from "node:timers/promises";

/** Looks until a look gives something else than undefined; fails with the title after a generous while. */
export async function eventually<Value>(title: string, look: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = Date.now() + 60_000; ;) {
    const value = await look();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`not in time: ${title}`);
    await sleep(10);
  }
}
