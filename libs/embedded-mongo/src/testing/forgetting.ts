// Run by transactions.test.ts in a process of its own, with --expose-gc: prints how many replaced documents of many are still held.
import { setImmediate } from "node:timers/promises";
import assert from "node:assert/strict";
import type { Collection } from "../storage/catalog.ts";
import { Transactions } from "../sessions/transactions.ts";

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
const version = (at: number) => ({ body: Buffer.alloc(1024, at), document: () => ({}) });
const replaced: WeakRef<Buffer>[] = [];
let open = transactions.begin();
for (let round = 0; round < 200; round++) {
  const change = { collection, record: 1, before: version(round), after: version(round + 1) };
  replaced.push(new WeakRef(change.before.body));
  transactions.noteCommit(change, new Map([["record 1:1", 1]]));
  // The older one sees what was there when it began, and may not change it; the younger one sees what is there now.
  const next = transactions.begin();
  assert.equal(transactions.getDifferences(open, collection).get(1), change.before.body);
  assert.throws(() => transactions.check(open, new Map([["record 1:1", 1]])), /WriteConflict/);
  assert.equal(transactions.getDifferences(next, collection).size, 0);
  transactions.check(next, new Map([["record 1:1", 1]]));
  transactions.end(open);
  open = next;
}
// What a WeakRef was made of stays at least until this turn of the event loop is over.
await setImmediate();
globalThis.gc?.();
console.log(replaced.filter((body) => body.deref() !== undefined).length);
// Used to the end, so that what it holds is not let go of with it.
transactions.end(open);
