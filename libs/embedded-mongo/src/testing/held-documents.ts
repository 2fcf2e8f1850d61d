// Run by writing.test.ts in a separate process with --expose-gc. Prints how many MiB are in memory in the middle of an update of documents of
// 40 MiB, and while an index of the same size is built.
import assert from "node:assert/strict";
import { Int32, type Document } from "bson";
import { dispatch } from "../commands/dispatcher.ts";
import { Engine } from "../engine.ts";
import { createCursors } from "../sessions/cursors.ts";
import { openSessions } from "../sessions/sessions.ts";

const count = 2_000;
const engine = new Engine(":memory:", undefined, 0);
const server = { engine, sessions: openSessions(engine), cursors: createCursors(), address: () => "" };

function send(command: Document): void {
  const steps = dispatch(server, 1, { ...command, $db: "test" }, () => false);
  while (engine.timeSlices.run(() => engine.sqlite.unit(() => steps.next())).done !== true);
}

function measure(): number {
  globalThis.gc?.();
  return process.memoryUsage().arrayBuffers / 2 ** 20;
}

const documents = Array.from({ length: count }, (_, at) => ({ _id: new Int32(at), text: "a".repeat(20 * 1024) }));
send({ insert: "things", documents });

let before = measure();
let changed = 0;
const replace = engine.documents.replace.bind(engine.documents);
engine.documents.replace = (...change) => {
  changed += 1;
  if (changed === count / 2) console.log(measure() - before);
  return replace(...change);
};
send({ update: "things", updates: [{ q: {}, u: { $set: { seen: true } }, multi: true }] });
assert.equal(changed, count);

before = measure();
let added = 0;
const addKey = engine.records.addKey.bind(engine.records);
engine.records.addKey = (...key) => {
  added += 1;
  if (added === 1) console.log(measure() - before);
  addKey(...key);
};
send({ createIndexes: "things", indexes: [{ key: { text: new Int32(1) }, name: "text_1" }] });
assert.equal(added, count);
