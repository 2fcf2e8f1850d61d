import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Int32 } from "bson";
import type { Server } from "../commands/command.ts";
import { dispatch } from "../commands/dispatcher.ts";
import { Engine } from "../engine.ts";
import { createCursors } from "../sessions/cursors.ts";
import { parseFilter } from "../query/filter.ts";
import { openSessions } from "../sessions/sessions.ts";
import { checkIndexes } from "../testing/check-indexes.ts";
import { WaitForTransaction } from "../scheduling/wait-for-transaction.ts";
import type { Steps } from "../scheduling/time-slices.ts";
import type { Document } from "../values/values.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens a server whose commands pause as often as possible. `next` runs the next step of a command, and returns where it pauses. */
function open() {
  const engine = new Engine(folder, undefined, 0);
  const server: Server = { engine, sessions: openSessions(engine), cursors: createCursors(), address: () => "" };
  const start = (command: Document) => dispatch(server, 1, { ...command, $db: "test" }, () => false);
  const next = (steps: Steps<unknown>) => engine.timeSlices.run(() => engine.sqlite.unit(() => steps.next()));
  const finish = (steps: Steps<unknown>): void => {
    while (next(steps).done !== true);
  };
  return { engine, start, next, finish, run: (command: Document) => finish(start(command)) };
}

it.each([false, true])(
  "does not add an index to a collection that is dropped meanwhile (unique: %s)",
  async (unique) => {
    const { engine, start, next, finish, run } = open();
    let [refused, created] = [0, 0];
    for (let pauses = 1; created === 0; pauses++) {
      run({ insert: "things", documents: [5, 3, 4].map((a) => ({ _id: new Int32(a), a: new Int32(a) })) });
      const steps = start({ createIndexes: "things", indexes: [{ key: { a: new Int32(1) }, name: "a_1", unique }] });
      let done = false;
      for (let step = 0; step < pauses && !done; step++) done = next(steps).done === true;
      run({ drop: "things" });
      if (done) created += 1;
      else {
        engine.sqlite.unit(() => [...engine.catalog.removeUnused(engine.timeSlices)].length);
        expect(() => finish(steps)).toThrow("the collection things, or an index of it, was dropped");
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(5);
    engine.sqlite.unit(() => [...engine.catalog.removeUnused(engine.timeSlices)].length);
    await engine.sqlite.close();
    const { engine: again } = open();
    expect(checkIndexes(again)).toEqual([]);
    await again.sqlite.close();
  },
);

it("a folder can be opened in which an earlier version has left an index of a dropped collection", async () => {
  const { engine, run } = open();
  run({ insert: "things", documents: [{ _id: new Int32(1) }] });
  const sql = "INSERT INTO indexes (collection, specification, multikey) VALUES (999, ?, '0')";
  engine.sqlite.unit(() => engine.sqlite.run(sql, Buffer.alloc(5)));
  await engine.sqlite.close();
  const { engine: again } = open();
  expect(again.catalog.list().map(({ name, indexes }) => [name, indexes.length])).toEqual([["things", 1]]);
  await again.sqlite.close();
});

it("is ended with its command, so that the index can be built later", async () => {
  const { engine, start, next, run } = open();
  const document = (id: number): Document => ({ _id: new Int32(id), a: new Int32(1) });
  run({ insert: "things", documents: [document(1)] });
  const collection = engine.catalog.find("test", "things");
  if (collection === undefined) throw new Error("there is no collection");
  const command = { createIndexes: "things", indexes: [{ key: { a: new Int32(1) }, name: "a_1", unique: true }] };
  const steps = start(command);
  while (collection.building.length === 0) next(steps);
  // A transaction takes the key, which the index needs.
  const transaction = engine.transactions.begin();
  engine.sqlite.unit(() => {
    const query = { filter: parseFilter({}), sort: [], skip: 0, limit: 0 };
    for (const found of engine.query(transaction, collection, query)) {
      if (found !== undefined) engine.documents.remove(transaction, collection, found);
    }
    engine.documents.insert(transaction, collection, document(2));
  });
  while (!(next(steps).value instanceof WaitForTransaction));
  // The client has disconnected, or its time is over.
  steps.return(new Uint8Array());
  expect(collection.building).toEqual([]);
  engine.transactions.end(transaction);
  run(command);
  expect(collection.indexes.map(({ definition }) => definition.name)).toEqual(["_id_", "a_1"]);
  await engine.sqlite.close();
});
