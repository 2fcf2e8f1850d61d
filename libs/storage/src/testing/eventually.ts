import { setTimeout as sleep } from "node:timers/promises";

/** Repeats a function until it returns a value other than undefined. Throws an error with the title after a minute. */
export async function eventually<Value>(title: string, look: () => Promise<Value | undefined>): Promise<Value> {
  for (const deadline = Date.now() + 60_000; ;) {
    const value = await look();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`timed out: ${title}`);
    await sleep(10);
  }
}
