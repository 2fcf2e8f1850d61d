import { Socket } from "node:net";
import { Decimal128, Long, MongoClient, type Collection, type Document } from "mongodb";
import { createEmbeddedMongoServer, type EmbeddedMongo } from "./index.ts";

const sleep = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe("a server", () => {
  let server: EmbeddedMongo;
  let client: MongoClient;
  let things: Collection<Document>;
  let count = 0;
  /** A server whose transactions live for a minute. */
  let longLived: EmbeddedMongo;
  let longLivedClient: MongoClient;
  beforeAll(async () => {
    server = await createEmbeddedMongoServer({ folder: ":memory:", transactionLifetimeMs: 800, expiryIntervalMs: 200 });
    client = await new MongoClient(server.uri).connect();
    longLived = await createEmbeddedMongoServer({ folder: ":memory:" });
    longLivedClient = await new MongoClient(longLived.uri).connect();
  });
  afterAll(async () => {
    for (const each of [client, longLivedClient, server, longLived]) await each.close();
  });
  beforeEach(() => {
    things = client.db("test").collection(`things${++count}`);
  });

  const refused: [string, () => Promise<unknown>][] = [
    ["$where", () => things.findOne({ $where: "true" })],
    ["$expr", () => things.findOne({ $expr: { $eq: ["$a", 1] } })],
    ["$text", () => things.findOne({ $text: { $search: "a" } })],
    ...["$mod", "$type", "$regex", "$all", "$size", "$foo"].map((name): [string, () => Promise<unknown>] => [
      name,
      () => things.findOne({ a: { [name]: "a" } }),
    ]),
    ["$nor", () => things.findOne({ $nor: [{ a: 1 }] })],
    ["'a.'", () => things.findOne({ "a.": 1 })],
    ["$comment", () => things.findOne({ $comment: "a" })],
    ["$near", () => things.findOne({ a: { $near: [0, 0] } })],
    ...["$min", "$max", "$mul", "$rename", "$currentDate", "$bit", "$pop", "$pullAll"].map(
      (name): [string, () => Promise<unknown>] => [name, () => things.updateOne({}, { [name]: { a: 1 } })],
    ),
    ...["$position", "$slice", "$sort"].map((name): [string, () => Promise<unknown>] => [
      name,
      () => things.updateOne({}, { $push: { a: { $each: [1], [name]: 1 } } } as Document),
    ]),
    ["a.$[x]", () => things.updateOne({}, { $set: { "a.$[x]": 1, "a.0": 2 } }, { arrayFilters: [{ x: 1 }] })],
    ["pipeline", () => things.updateOne({}, [{ $set: { a: 1 } }])],
    [
      "$lookup",
      () => things.aggregate([{ $lookup: { from: "b", localField: "a", foreignField: "b", as: "c" } }]).toArray(),
    ],
    ["$facet", () => things.aggregate([{ $facet: {} }]).toArray()],
    ["$project", () => things.aggregate([{ $project: { a: 1 } }]).toArray()],
    ["$unwind", () => things.aggregate([{ $unwind: "$a" }]).toArray()],
    ["$match", () => things.aggregate([{ $limit: 1 }, { $match: { a: 1 } }]).toArray()],
    ["$add", () => things.aggregate([{ $group: { _id: { $add: ["$a", 1] } } }]).toArray()],
    ["$$ROOT", () => things.aggregate([{ $group: { _id: "$$ROOT" } }]).toArray()],
    ["$push", () => things.aggregate([{ $group: { _id: 1, a: { $push: "$a" } } }]).toArray()],
    ["$changeStream", () => things.watch().next()],
    ["collation", () => things.find({}, { collation: { locale: "de" } }).toArray()],
    ["hint", () => things.find({}, { hint: { a: 1 } }).toArray()],
    ["text", () => things.createIndex({ a: "text" })],
    ["2dsphere", () => things.createIndex({ a: "2dsphere" })],
    ["$**", () => things.createIndex({ "$**": 1 })],
    ["collation", () => things.createIndex({ a: 1 }, { collation: { locale: "de" } })],
    ["slice", () => things.findOne({}, { projection: { a: { $slice: 1 } } })],
    ["nested", () => things.findOne({}, { projection: { nested: { b: 1 } } })],
    ["elemMatch", () => things.findOne({}, { projection: { a: { $elemMatch: { b: 1 } } } })],
    ["capped", () => client.db("test").createCollection("capped", { capped: true, size: 1000 })],
    ["validator", () => client.db("test").createCollection("valid", { validator: { a: 1 } })],
    ["Decimal128", () => things.insertOne({ a: Decimal128.fromString("1.5") })],
    ["tailable", () => things.find({}, { tailable: true }).toArray()],
    ["count", () => things.estimatedDocumentCount()],
    ["dropping an index", () => client.db("test").command({ dropIndexes: things.collectionName, index: { a: 1 } })],
    ["linearizable", () => things.find({}, { readConcern: "linearizable" }).toArray()],
    ["write concern 2", () => things.insertOne({}, { writeConcern: { w: 2 } })],
    ["mapReduce", () => client.db("test").command({ mapReduce: "things" })],
    ["surprise", () => client.db("test").command({ find: "things", surprise: 1 })],
    ["BSONRegExp", () => things.findOne({ a: /a/ })],
    ["BSONRegExp", () => things.findOne({ a: { $in: [/a/] } })],
    ["BSONRegExp", () => things.findOne({ a: { $not: /a/ } })],
    ["BSONRegExp", () => things.updateOne({}, { $pull: { a: /a/ } } as Document)],
  ];
  for (const [what, attempt] of refused) {
    it(`rejects ${what}, and names it in the error`, async () => {
      await things.insertOne({ a: [1] });
      const error = (await attempt().then(
        () => new Error("nothing was rejected"),
        (reason: unknown) => reason,
      )) as { code?: number; message: string };
      expect([115, 238]).toContain(error.code);
      expect(error.message.toLowerCase()).toContain(what.replace("$c", "c").replace("$e", "e").toLowerCase());
    });
  }

  it("answers a repeated write with its first reply", async () => {
    // A separate client, because these session numbers are not those that the driver counts.
    const own = await new MongoClient(server.uri).connect();
    const session = own.startSession();
    const updates = [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }];
    const raw = async (number: number): Promise<Document> => {
      const command = { update: things.collectionName, updates, txnNumber: Long.fromNumber(1e6 + number) };
      const { $clusterTime: _, operationTime: __, ...reply } = await own.db("test").command(command, { session });
      return reply;
    };
    const first = await raw(1);
    expect(await raw(1)).toEqual(first);
    expect((await things.findOne({}))?.["n"]).toBe(1);
    await raw(2);
    expect((await things.findOne({}))?.["n"]).toBe(2);
    await expect(raw(1)).rejects.toMatchObject({ code: 225 });
    await session.endSession();
    await own.close();
  });

  it("aborts a transaction that takes too long, and releases its documents", async () => {
    await things.insertOne({ _id: 1, n: 0 } as Document);
    const session = client.startSession();
    session.startTransaction();
    await things.updateOne({ _id: 1 } as Document, { $inc: { n: 1 } }, { session });
    await things.updateOne({ _id: 1 } as Document, { $inc: { n: 10 } });
    expect((await things.findOne({}))?.["n"]).toBe(10);
    const late = await session.commitTransaction().catch((error: unknown) => error);
    expect(late).toMatchObject({ code: 251, codeName: "NoSuchTransaction" });
    await session.endSession();
  });

  it("aborts a transaction that takes too long, even if the clock is set back meanwhile", async () => {
    await things.insertOne({ _id: 1, n: 0 } as Document);
    const session = client.startSession();
    session.startTransaction();
    await things.updateOne({ _id: 1 } as Document, { $inc: { n: 1 } }, { session });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    try {
      await things.updateOne({ _id: 1 } as Document, { $inc: { n: 10 } });
    } finally {
      vi.useRealTimers();
    }
    expect((await things.findOne({}))?.["n"]).toBe(10);
    await session.endSession();
  });

  it("ends commands after their maxTimeMS, with the transaction of a command", async () => {
    things = longLivedClient.db("test").collection("limited");
    await things.insertMany(Array.from({ length: 20_000 }, (_, _id) => ({ _id, n: 0 })) as Document[]);
    const expired = { code: 50, codeName: "MaxTimeMSExpired" };
    const maxTimeMS = 1;
    await expect(things.find({ a: 1 }, { maxTimeMS }).toArray()).rejects.toMatchObject(expired);
    await expect(things.countDocuments({ a: 1 }, { maxTimeMS })).rejects.toMatchObject(expired);
    await expect(things.updateMany({}, { $inc: { n: 1 } }, { maxTimeMS })).rejects.toMatchObject(expired);
    expect(await things.countDocuments({ n: 1 }, { maxTimeMS: 60_000 })).toBeLessThan(20_000);
    const session = longLivedClient.startSession();
    session.startTransaction();
    await things.insertOne({ _id: -1 } as Document, { session });
    await expect(things.find({ a: 1 }, { maxTimeMS, session }).toArray()).rejects.toMatchObject(expired);
    await things.updateOne({ _id: 0 } as Document, { $inc: { n: 1 } });
    await expect(session.commitTransaction()).rejects.toMatchObject({ code: 251 });
    await session.endSession();
  });

  it("aborts the transaction of a client that disconnected", async () => {
    const leaving = new MongoClient(longLived.uri);
    const counters = longLivedClient.db("test").collection<Document>("counters");
    await counters.insertOne({ _id: 1, n: 0 } as Document);
    const session = leaving.startSession();
    session.startTransaction();
    await leaving
      .db("test")
      .collection("counters")
      .updateOne({}, { $inc: { n: 1 } }, { session });
    const began = Date.now();
    await leaving.close(true);
    await counters.updateOne({}, { $inc: { n: 10 } });
    expect(Date.now() - began).toBeLessThan(30_000);
    expect((await counters.findOne({}))?.["n"]).toBe(10);
  });

  it("does not close the connection of a long write that waits for a transaction", async () => {
    things = longLivedClient.db("test").collection("long");
    await things.insertOne({ _id: 1 } as Document);
    const session = longLivedClient.startSession();
    session.startTransaction();
    await things.updateOne({}, { $set: { a: 1 } }, { session });
    // On the connection that is opened next, a timeout of 30 seconds lasts one second.
    const longPause = Reflect.get<Socket, "setTimeout">(Socket.prototype, "setTimeout");
    const shortPause: Socket["setTimeout"] = function (this: Socket, milliseconds, callback) {
      return longPause.call(this, milliseconds / 30, callback);
    };
    Socket.prototype.setTimeout = shortPause;
    const other = await new MongoClient(longLived.uri, { retryWrites: false }).connect();
    const others = other.db("test").collection(things.collectionName);
    await others.findOne({});
    Socket.prototype.setTimeout = longPause;
    const waiting = others.updateOne({}, { $set: { b: "x".repeat(1_000_000) } });
    await sleep(2_500);
    await session.commitTransaction();
    await session.endSession();
    expect(await waiting).toMatchObject({ modifiedCount: 1 });
    await other.close();
  });

  it("does not execute a waiting write of a client that disconnected", async () => {
    things = longLivedClient.db("test").collection("gone");
    await things.insertOne({ _id: 1, n: 0 } as Document);
    const session = longLivedClient.startSession();
    session.startTransaction();
    await things.updateOne({}, { $inc: { n: 1 } }, { session });
    const other = await new MongoClient(longLived.uri).connect();
    const waiting = other
      .db("test")
      .collection(things.collectionName)
      .updateMany({}, { $inc: { n: 10 } });
    const outcome = waiting.catch((error: unknown) => error);
    await sleep(50);
    await other.close(true);
    expect(await outcome).toBeInstanceOf(Error);
    await sleep(50);
    await session.commitTransaction();
    await session.endSession();
    await things.updateOne({}, { $inc: { n: 100 } });
    expect((await things.findOne({}))?.["n"]).toBe(101);
  });

  it("removes documents that a TTL index expires, and nothing else", async () => {
    await things.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
    await things.insertMany([
      { _id: 1, at: new Date(Date.now() - 61_000) },
      { _id: 2, at: new Date() },
      { _id: 3 },
      { _id: 4, at: 5 },
    ] as Document[]);
    await expect.poll(() => things.countDocuments({})).toBeLessThan(4);
    expect((await things.find({}).sort({ _id: 1 }).toArray()).map(({ _id }) => _id as unknown)).toEqual([2, 3, 4]);
  });

  it("closes connections with another protocol, and serves the others", async () => {
    const { connect } = await import("node:net");
    for (const nonsense of [
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "\xff\xff\xff\x7f".repeat(10),
      "\x15\0\0\0".repeat(6),
    ]) {
      await new Promise<void>((resolve) => {
        const socket = connect(server.port ?? 0, "127.0.0.1", () => socket.write(Buffer.from(nonsense, "latin1")));
        socket.on("error", () => undefined);
        socket.on("close", () => resolve());
      });
    }
    expect(await things.countDocuments({})).toBe(0);
  });
});
