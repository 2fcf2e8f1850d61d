import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { startTestDatabase, testDatabaseName } from "../testing/database.ts";
import { counts, writersEach } from "../testing/racing-writers.ts";
import type { Thing, WritersReport } from "../testing/racing-writers.ts";

/** Runs two processes of writers, which start at the same time when both are connected. Returns the report of each writer. */
async function race(uri: string): Promise<WritersReport[]> {
  const children = [0, 1].map((place) =>
    fork(join(import.meta.dirname, "../testing/racing-writers.ts"), [uri, String(place)], { execArgv: [] }),
  );
  let ready = 0;
  try {
    const reports = await Promise.all(
      children.map(
        (child) =>
          new Promise<WritersReport[]>((resolve, reject) => {
            child.once("disconnect", () => reject(new Error("writers ended before they were done")));
            child.on("message", (message) => {
              if (message !== "ready") resolve(message as WritersReport[]);
              else if ((ready += 1) === 2 * writersEach) children.forEach((each) => each.send("go"));
            });
          }),
      ),
    );
    return reports.flat();
  } finally {
    for (const child of children) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    }
  }
}

it(`a collection has exactly the concurrent writes of eight writers in two processes (${testDatabaseName})`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-race-"));
  const database = await startTestDatabase({ folder });
  const client = await new mongoose.mongo.MongoClient(database.uri).connect();
  try {
    const things = client.db("race").collection<Thing>("things");
    await things.createIndex({ key: 1 }, { unique: true, partialFilterExpression: { key: { $exists: true } } });
    await things.insertMany([
      { _id: "counter", n: 0 },
      { _id: "list", items: [] },
    ]);
    const reports = await race(database.uri);
    const [counter, list, ...keyed] = await things.find({}).sort({ key: 1, _id: 1 }).toArray();
    expect(counter).toEqual({ _id: "counter", n: counts.increments });
    expect(keyed).toEqual([{ _id: expect.anything(), key: "one", n: counts.upserts }]);
    expect(list?.items?.toSorted((left, right) => left - right)).toEqual(
      Array.from({ length: counts.pushes / 2 }, (_, item) => item),
    );
    const sum = (field: keyof WritersReport): number => reports.reduce((total, each) => total + each[field], 0);
    expect([sum("pushed"), sum("upserted")]).toEqual([counts.pushes / 2, 1]);
  } finally {
    await client.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
