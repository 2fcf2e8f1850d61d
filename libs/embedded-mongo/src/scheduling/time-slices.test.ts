import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Long, MongoClient, UUID, type Collection } from "mongodb";
import { Engine } from "../engine.ts";
import { createEmbeddedMongoServer, type ServerInThread } from "../server.ts";
import { TimeSlices } from "./time-slices.ts";
import { checkIndexes } from "../testing/check-indexes.ts";

interface Thing {
  _id: number;
  owner: string;
  rank: number;
  until?: Date;
}

const long = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const documents = long ? 100_000 : 5_000;
/**
 * The maximum time for which a command blocks the thread, in milliseconds. It is asserted only with the full counts, which run
 * alone.
 */
const maxTimeSliceMs = 50;
/** With few documents, time slices are shorter than usual, so that there are many of them. */
const timeSliceMs = long ? undefined : 1;

describe(`a long command over ${documents} documents serves others while it`, () => {
  let folder: string;
  let server: ServerInThread;
  let client: MongoClient;
  let other: MongoClient;
  let things: Collection<Thing>;
  beforeAll(async () => {
    const internals = timeSliceMs === undefined ? {} : { timeSliceMs };
    folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
    server = await createEmbeddedMongoServer({ folder, expiryIntervalMs: 200 }, internals);
    client = await new MongoClient(server.uri).connect();
    other = await new MongoClient(server.uri).connect();
    things = client.db("test").collection<Thing>("things");
    for (let from = 0; from < documents; from += 1_000) {
      await things.insertMany(Array.from({ length: 1_000 }, (_, at) => thing(from + at)));
    }
  });
  afterAll(async () => {
    await client.close();
    await other.close();
    await server.close();
    await rm(folder, { recursive: true });
  });

  function thing(_id: number): Thing {
    return { _id, owner: `owner ${_id % 7}: ${"text ".repeat(20)}`, rank: (_id * 7_919) % documents };
  }

  /** Measures the processor time of the longest time slice, in milliseconds. Other work of the machine does not count. */
  function watchBusyTime(): () => number {
    const { timeSlices } = server;
    let longest = 0;
    timeSlices.run = (work) => {
      const before = process.threadCpuUsage();
      try {
        return TimeSlices.prototype.run.call(timeSlices, work) as ReturnType<typeof work>;
      } finally {
        const { user, system } = process.threadCpuUsage(before);
        longest = Math.max(longest, (user + system) / 1_000);
      }
    };
    return () => longest;
  }

  /** Runs work and pings over another connection until it is done. The pings must be answered in the meantime. */
  async function beside<Result>(work: () => Promise<Result>): Promise<Result> {
    server.timeSlices.maxMs = 0;
    const getMaxBusyMs = watchBusyTime();
    const before = server.timeSlices.count;
    let [working, pings] = [true, 0];
    const done = work().finally(() => (working = false));
    while (working) {
      await other.db("test").command({ ping: 1 });
      pings += 1;
    }
    const result = await done;
    const [count, longest, busy] = [server.timeSlices.count - before, server.timeSlices.maxMs, getMaxBusyMs()];
    const times = `${longest.toFixed(1)} ms, ${busy.toFixed(1)} ms busy`;
    process.stderr.write(`${count} time slices, the longest ${times}; ${pings} pings\n`);
    expect(pings).toBeGreaterThan(5);
    if (long) expect(busy).toBeLessThan(maxTimeSliceMs);
    return result;
  }

  it("inserts many documents, as a retryable write", async () => {
    const more = Array.from({ length: documents }, (_, at) => thing(documents + at));
    await beside(() => things.insertMany(more));
    await things.deleteMany({ _id: { $gte: documents } });
  });

  it("scans a collection", async () => {
    const found = await beside(() => things.find({ rank: documents - 1 }).toArray());
    expect(found).toHaveLength(1);
  });

  it("counts documents", async () => {
    expect(await beside(() => things.countDocuments({ rank: { $gte: 10 } }))).toBe(documents - 10);
  });

  it("sorts in memory", async () => {
    const found = await beside(() => things.find().sort({ rank: 1 }).limit(3).toArray());
    expect(found.map(({ rank }) => rank)).toEqual([0, 1, 2]);
  });

  it("reads in a transaction the data of its start, despite changes by others", async () => {
    const session = client.startSession();
    await session.withTransaction(async () => {
      await things.findOne({ _id: 0 }, { session });
      const changing = other.db("test").collection<Thing>("things");
      const ids = [1, Math.floor(documents / 2), documents - 1];
      const counted = beside(() => things.countDocuments({ owner: { $ne: "x" } }, { session }));
      await changing.updateMany({ _id: { $in: ids } }, { $set: { owner: "x" } });
      await changing.deleteOne({ _id: 2 });
      await changing.insertOne(thing(documents));
      expect(await counted).toBe(documents);
    });
    await session.endSession();
    await things.deleteOne({ _id: documents });
    await things.insertOne(thing(2));
    for (const _id of [1, Math.floor(documents / 2), documents - 1]) await things.replaceOne({ _id }, thing(_id));
    expect(await things.countDocuments()).toBe(documents);
  });

  it("builds an index that includes concurrent writes", async () => {
    const writing = other.db("test").collection<Thing>("things");
    const built = beside(() => things.createIndex({ rank: 1 }, { unique: true }));
    await writing.insertOne({ ...thing(documents), rank: documents });
    await writing.deleteOne({ _id: documents - 1 });
    await built;
    expect(await things.countDocuments({ rank: { $gte: 0 } })).toBe(documents);
    await expect(things.insertOne({ ...thing(documents + 1), rank: documents })).rejects.toMatchObject({ code: 11000 });
  });

  it("fails to build a unique index of duplicates, and leaves nothing of it", async () => {
    await expect(things.createIndex({ owner: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    expect((await things.indexes()).map(({ name }) => name)).toEqual(["_id_", "rank_1"]);
    await things.updateOne({ _id: 0 }, { $set: { owner: thing(1).owner } });
  });

  it("changes many documents", async () => {
    const change = { $inc: { rank: 10 * documents }, $set: { until: new Date() } };
    const { modifiedCount } = await beside(() => things.updateMany({}, change));
    expect(modifiedCount).toBe(documents);
    expect(await things.countDocuments({ rank: { $gte: 10 * documents } })).toBe(documents);
  });

  it("removes many documents", async () => {
    const { deletedCount } = await beside(() => things.deleteMany({ _id: { $gte: documents / 2 } }));
    expect(deletedCount).toBe(documents / 2);
  });

  it("removes expired documents", async () => {
    await beside(async () => {
      await things.createIndex({ until: 1 }, { expireAfterSeconds: 0 });
      while ((await things.findOne()) !== null) await sleep(20);
    });
  });

  it("drops a collection", async () => {
    await things.insertMany(Array.from({ length: 1_000 }, (_, at) => thing(at)));
    await beside(async () => {
      await things.drop();
      await sleep(300);
    });
    expect(await things.countDocuments()).toBe(0);
  });
});

it("builds several indexes in one pass that include concurrent changes", async () => {
  const folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
  const building = await createEmbeddedMongoServer({ folder }, { timeSliceMs: 0 });
  const client = await new MongoClient(building.uri, { serverSelectionTimeoutMS: 1_000 }).connect();
  const things = client.db("test").collection<any>("things");
  const one = (_id: number) => ({ _id, rank: (_id * 7_919) % 300, tags: [`tag ${_id % 7}`, `tag ${_id % 11}`] });
  await things.insertMany(Array.from({ length: 300 }, (_, _id) => one(_id)));
  let isBuilt = false;
  const built = things
    .createIndexes([
      { key: { rank: 1 } },
      { key: { tags: 1, rank: -1 } },
      { key: { _id: -1, rank: 1 }, unique: true },
      { key: { rank: -1, _id: 1 }, partialFilterExpression: { rank: { $gt: 150 } } },
    ])
    .finally(() => (isBuilt = true));
  let written = 0;
  for (let n = 0; n < 100 && !isBuilt; n += 1) {
    const _id = (n * 37) % 300;
    await things.updateOne({ _id }, { $inc: { rank: 70 }, $set: { tags: [`tag ${n % 13}`, "changed"] } });
    await things.deleteOne({ _id: (n * 41) % 300 });
    await things.insertOne(one(300 + n));
    if (!isBuilt) written += 1;
  }
  await built;
  expect(written).toBeGreaterThan(0);
  expect(await things.indexes()).toHaveLength(5);
  await client.close();
  await building.close();
  const engine = new Engine(folder);
  expect(checkIndexes(engine)).toEqual([]);
  await engine.sqlite.close();
  await rm(folder, { recursive: true });
});

it("uses no time slices while it waits for another connection to build the same index", async () => {
  const server = await createEmbeddedMongoServer({ folder: ":memory:" }, { timeSliceMs: 0 });
  const [one, other] = [await new MongoClient(server.uri).connect(), await new MongoClient(server.uri).connect()];
  const things = one.db("test").collection("things");
  await things.insertMany(Array.from({ length: 1_000 }, (_, n) => ({ rank: n, place: n })));
  await other.db("test").collection("things").findOne();
  const countTimeSlices = async (work: () => Promise<unknown>): Promise<number> => {
    const before = server.timeSlices.count;
    await work();
    return server.timeSlices.count - before;
  };
  try {
    const alone = await countTimeSlices(() => things.createIndex({ rank: 1 }));
    const others = other.db("test").collection("things");
    const waiting = await countTimeSlices(() =>
      Promise.all([things, others].map((each) => each.createIndex({ place: 1 }))),
    );
    expect(alone).toBeGreaterThan(1_000);
    expect(waiting).toBeLessThan(alone * 1.4);
    expect((await things.indexes()).map(({ name }) => name)).toEqual(["_id_", "rank_1", "place_1"]);
  } finally {
    await Promise.all([one.close(), other.close()]);
    await server.close();
  }
});

it("continues a retryable write after the last completed statement when the server was closed in between", async () => {
  const folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
  const updates = Array.from({ length: 600 }, (_, _id) => ({ q: { _id }, u: { $inc: { n: 1 } }, upsert: true }));
  const session = { id: new UUID().toBinary() };
  async function send(client: MongoClient): Promise<unknown> {
    const own = client.startSession();
    (own as any).serverSession.id = session;
    const command = { update: "things", updates, txnNumber: Long.ONE };
    return client
      .db("test")
      .command(command, { session: own })
      .catch((error: unknown) => error);
  }
  const first = await createEmbeddedMongoServer({ folder }, { timeSliceMs: 0 });
  const writer = await new MongoClient(first.uri).connect();
  const before = first.timeSlices.count;
  const interrupted = send(writer);
  while (first.timeSlices.count < before + 200) await sleep(1);
  await first.close();
  expect(await interrupted).toBeInstanceOf(Error);
  await writer.close();

  const again = await createEmbeddedMongoServer({ folder }, { timeSliceMs: 0 });
  const client = await new MongoClient(again.uri).connect();
  const things = client.db("test").collection("things");
  const done = await things.countDocuments();
  expect(done).toBeGreaterThan(0);
  expect(done).toBeLessThan(600);
  const reply = (await send(client)) as { upserted: { index: number }[] };
  expect(reply).toMatchObject({ n: 600, nModified: 0 });
  expect(reply.upserted.map(({ index }) => index)).toEqual(updates.map(({ q }) => q._id));
  expect(await send(client)).toMatchObject({ n: 600, nModified: 0 });
  expect(await things.countDocuments({ n: 1 })).toBe(600);
  await client.close();
  await again.close();
  await rm(folder, { recursive: true });
});

it("ignores an index that was incomplete when the server was closed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "embedded-mongo-"));
  const first = await createEmbeddedMongoServer({ folder }, { timeSliceMs: 0 });
  const client = await new MongoClient(first.uri, { serverSelectionTimeoutMS: 1_000 }).connect();
  const things = client.db("test").collection("things");
  await things.insertMany(Array.from({ length: 2_000 }, (_, _id) => ({ _id: _id as never, rank: _id })));
  const before = first.timeSlices.count;
  const building = things.createIndex({ rank: 1 }).catch((error: unknown) => error);
  while (first.timeSlices.count < before + 100) await sleep(1);
  await first.close();
  await client.close();
  expect(await building).toBeInstanceOf(Error);
  const again = await createEmbeddedMongoServer({ folder });
  const reader = await new MongoClient(again.uri).connect();
  expect((await reader.db("test").collection("things").indexes()).map(({ name }) => name)).toEqual(["_id_"]);
  await reader.close();
  await again.close();
  const engine = new Engine(folder);
  expect(checkIndexes(engine)).toEqual([
    expect.stringMatching(/^the table keys_\d+ belongs to no index or collection$/),
  ]);
  engine.sqlite.unit(() => void [...engine.catalog.removeUnused(engine.timeSlices)]);
  expect(checkIndexes(engine)).toEqual([]);
  await engine.sqlite.close();
  await rm(folder, { recursive: true });
});
