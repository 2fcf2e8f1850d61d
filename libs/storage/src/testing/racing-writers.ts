import mongoose from "mongoose";

// Runs in a process of `racing-writers.test.ts`: four clients that start on a message of the parent process, and report their writes.

/** The number of operations of each kind, by all writers of both processes together. */
export const counts = { pushes: 2_000, increments: 2_000, upserts: 500 };
/** The number of writers in each of the two processes. */
export const writersEach = 4;

/** The acknowledged writes of a process. */
export interface WritersReport {
  pushed: number;
  upserted: number;
}

/** A document that the writers change. */
export interface Thing {
  _id: string;
  key?: string;
  n?: number;
  items?: number[];
}

async function write(uri: string, writer: number, begun: Promise<unknown>): Promise<WritersReport> {
  const client = await new mongoose.mongo.MongoClient(uri, { maxPoolSize: 1, w: "majority" }).connect();
  const things = client.db("race").collection<Thing>("things");
  const report: WritersReport = { pushed: 0, upserted: 0 };
  const mine = (count: number, step: number): number[] =>
    Array.from({ length: count }, (_, at) => at).filter((at) => at % step === writer % step);
  await things.findOne({ _id: "counter" });
  process.send?.("ready");
  await begun;
  for (const _ of mine(counts.upserts, 2 * writersEach)) {
    const done = await things.updateOne({ key: "one" }, { $inc: { n: 1 } }, { upsert: true });
    report.upserted += done.upsertedCount;
  }
  for (const _ of mine(counts.increments, 2 * writersEach))
    await things.updateOne({ _id: "counter" }, { $inc: { n: 1 } });
  // Each value is pushed by one writer of each process at about the same time; the condition accepts one of them.
  for (const item of mine(counts.pushes / 2, writersEach)) {
    const done = await things.updateOne({ _id: "list", items: { $ne: item } }, { $push: { items: item } });
    report.pushed += done.modifiedCount;
  }
  await client.close();
  return report;
}

const [script, uri = "", place = ""] = process.argv.slice(1);
if (script === import.meta.filename) {
  const begun = new Promise((resolve) => process.once("message", resolve));
  const writers = Array.from({ length: writersEach }, (_, at) => write(uri, Number(place) * writersEach + at, begun));
  process.send?.(await Promise.all(writers));
  process.disconnect();
}
