import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Collection } from "./catalog.ts";
import { Transactions } from "./transactions.ts";

/** Bytes of buffers that something still holds. */
function bytesHeld(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().arrayBuffers;
}

it("keeps what was replaced no longer than a snapshot needs it, also where transactions never pause", () => {
  const transactions = new Transactions();
  const collection: Collection = {
    id: 1,
    database: "test",
    name: "things",
    indexes: [],
    nextRecord: 2,
    dropped: false,
  };
  const version = (length: number) => ({ body: Buffer.alloc(length, 1), document: () => ({}) });
  const megabyte = 2 ** 20;
  const before = bytesHeld();
  let open = transactions.begin();
  for (let round = 0; round < 200; round++) {
    const change = { collection, record: 1, before: version(megabyte), after: version(1) };
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
  expect(bytesHeld() - before).toBeLessThan(20 * megabyte);
});
