import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Int32 } from "bson";
import type { Server } from "../commands/command.ts";
import { dispatch } from "../commands/dispatcher.ts";
import { Engine } from "../engine.ts";
import { createCursors } from "../sessions/cursors.ts";
import { openSessions } from "../sessions/sessions.ts";
import { checkIndexes } from "../testing/check-indexes.ts";
import type { Document } from "../values/values.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "embedded-mongo-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens a server whose commands pause as often as possible. `start` returns a function that runs the next step of a command. */
function open() {
  const engine = new Engine(folder, undefined, 0);
  const server: Server = { engine, sessions: openSessions(engine), cursors: createCursors(), address: () => "" };
  const start = (command: Document): (() => boolean) => {
    const steps = dispatch(server, 1, { ...command, $db: "test" }, () => false);
    return () => engine.timeSlices.run(() => engine.sqlite.unit(() => steps.next().done === true));
  };
  const run = (command: Document): void => {
    const next = start(command);
    while (!next());
  };
  return { engine, start, run };
}

it.each([false, true])(
  "does not add an index to a collection that is dropped meanwhile (unique: %s)",
  async (unique) => {
    const { engine, start, run } = open();
    let [refused, created] = [0, 0];
    for (let pauses = 1; created === 0; pauses++) {
      run({ insert: "things", documents: [5, 3, 4].map((a) => ({ _id: new Int32(a), a: new Int32(a) })) });
      const next = start({ createIndexes: "things", indexes: [{ key: { a: new Int32(1) }, name: "a_1", unique }] });
      let done = false;
      for (let step = 0; step < pauses && !done; step++) done = next();
      run({ drop: "things" });
      if (done) created += 1;
      else {
        engine.sqlite.unit(() => [...engine.catalog.removeUnused(engine.timeSlices)].length);
        expect(() => {
          while (!next());
        }).toThrow("the collection things, or an index of it, was dropped");
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
