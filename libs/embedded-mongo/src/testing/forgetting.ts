// Run by transactions.test.ts in a separate process with --expose-gc. Prints how many of many replaced documents are still in memory.
import { setImmediate } from "node:timers/promises";
import assert from "node:assert/strict";
import type { Collection } from "../storage/catalog.ts";
import { Transactions } from "../sessions/transactions.ts";
import { encode } from "../values/values.ts";

const transactions = new Transactions();
const collection: Collection = {
  id: 1,
  database: "test",
  name: "things",
  indexes: [],
  building: [],
  changed: new Set(),
  nextRecord: 2,
  dropped: false,
};
const version = (at: number) => ({ body: encode({ _id: 1, bytes: Buffer.alloc(1024, at) }), document: () => ({}) });
const replaced: WeakRef<Uint8Array>[] = [];
let open = transactions.begin();
for (let round = 0; round < 200; round++) {
  const change = { collection, record: 1, before: version(round), after: version(round + 1) };
  replaced.push(new WeakRef(change.before.body));
  transactions.noteCommit(change, new Map([["record 1:1", 1]]));
  // The older transaction sees the data of its start, and may not change it. The younger one sees the current data.
  const next = transactions.begin();
  assert.equal(transactions.getDifferences(open, collection).get(1)?.body, change.before.body);
  assert.throws(() => transactions.check(open, new Map([["record 1:1", 1]])), /WriteConflict/);
  assert.equal(transactions.getDifferences(next, collection).has(1), false);
  transactions.check(next, new Map([["record 1:1", 1]]));
  transactions.end(open);
  open = next;
}
// The target of a WeakRef stays in memory at least until the end of this turn of the event loop.
await setImmediate();
globalThis.gc?.();
console.log(replaced.filter((body) => body.deref() !== undefined).length);
// Used until the end, so that its data stays in memory.
transactions.end(open);
