import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Collection } from "./catalog.ts";
import { Transactions } from "./transactions.ts";

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

it("keeps what was replaced no longer than a snapshot needs it, also where transactions never pause", async () => {
  const transactions = new Transactions();
  const collection: Collection = {
    id: 1,
    database: "test",
    name: "things",
    indexes: [],
    nextRecord: 2,
    dropped: false,
  };
  const version = (at: number) => ({ body: Buffer.alloc(1024, at), document: () => ({}) });
  const replaced: WeakRef<Buffer>[] = [];
  let open = transactions.begin();
  for (let round = 0; round < 200; round++) {
    const change = { collection, record: 1, before: version(round), after: version(round + 1) };
    replaced.push(new WeakRef(change.before.body));
    transactions.noteCommit(change, new Map([["record 1:1", 1]]));
    // The older one sees what was there when it began, and may not change it; the younger one sees what is there now.
    const next = transactions.begin();
    expect(transactions.differences(open, collection).get(1)).toBe(change.before.body);
    expect(() => transactions.check(open, new Map([["record 1:1", 1]]))).toThrow("WriteConflict");
    expect(transactions.differences(next, collection).size).toBe(0);
    expect(() => transactions.check(next, new Map([["record 1:1", 1]]))).not.toThrow();
    transactions.end(open);
    open = next;
  }
  // What a WeakRef was made of stays at least until this turn of the event loop is over.
  await setImmediate();
  collectGarbage();
  expect(replaced.filter((body) => body.deref() !== undefined).length).toBeLessThan(20);
  // Used to the end, so that what it holds is not let go of with it.
  transactions.end(open);
});
