import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import type { mongo } from "mongoose";
import { startTestDatabase, testDatabaseName } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { connectForTransfer, createServerSource, importInto, openArchive, writeArchive } from "./index.ts";
import type { Archive, ImportedCollection } from "./index.ts";

const { Binary, BSON, Double, Int32, Long, ObjectId } = mongoose.mongo;

const hour = 3_600_000;

/** Documents whose types or field order would be lost by a conversion to plain JavaScript. */
const values = [
  {
    _id: "b",
    long: Long.fromNumber(1),
    whole: new Double(1),
    small: new Int32(1),
    at: new Date("2026-01-02T03:04:05.006Z"),
  },
  { _id: "a", blob: new Binary(Buffer.from([0, 255, 10])), nested: { 9: "nine", 10: ["ten", null, { deep: true }] } },
  { _id: new ObjectId("65f000000000000000000001"), big: Long.fromString("9007199254740993"), empty: {}, none: null },
  { _id: new Int32(7), yes: true, least: Long.MIN_VALUE },
  { _id: { first: new Int32(2), second: "x" }, text: "žluť ☃" },
];

describe(`exporting and importing, on the ${testDatabaseName}`, () => {
  let folder: string;
  let from: TestDatabase;
  let to: TestDatabase;
  let source: mongo.MongoClient;
  let target: mongo.MongoClient;
  let archive: Archive;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-archive-"));
    [from, to] = [await startEmbeddedMongo({ folder: ":memory:" }), await startTestDatabase()];
    [source, target] = [await connectForTransfer(from.uri), await connectForTransfer(to.uri)];
    const collection = source.db("switchyard_one").collection<mongo.Document>("values");
    await collection.insertMany(values as unknown as mongo.Document[]);
    await collection.createIndex({ text: 1, "nested.deep": -1 }, { name: "by_text", unique: true, sparse: true });
    await collection.createIndex({ at: 1 }, { name: "partial", partialFilterExpression: { long: { $gte: 1 } } });
    const many = source.db("switchyard_one").collection<{ _id: string; n: number; big: mongo.Binary }>("many");
    await many.insertMany(
      Array.from({ length: 1_000 }, (_, n) => ({ _id: `n${n}`, n, big: new Binary(Buffer.alloc(4_000, n)) })),
    );
    const expiring = source.db("switchyard_two").collection<mongo.Document>("expiring");
    await expiring.insertMany([
      { _id: 1, at: new Date(Date.now() - hour) },
      { _id: 2, at: new Date(Date.now() + hour) },
      { _id: 3, at: [new Date(Date.now() + hour), new Date(Date.now() - hour)] },
    ] as unknown as mongo.Document[]);
    await expiring.createIndex({ at: 1 }, { name: "until", expireAfterSeconds: 0 });
    await source.db("switchyard_two").createCollection("empty");
    await source.db("elsewhere").createCollection("not_ours");
    const written: string[] = [];
    await writeArchive(await createServerSource(source, "the store"), join(folder, "archive"), ({ database, name }) => {
      written.push(`${database}.${name}`);
    });
    expect(written).toEqual([
      "switchyard_one.many",
      "switchyard_one.values",
      "switchyard_two.empty",
      "switchyard_two.expiring",
    ]);
    archive = await openArchive(join(folder, "archive"));
  });
  afterAll(async () => {
    await source?.close();
    await target?.close();
    await from?.close();
    await to?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    for (const name of ["switchyard_one", "switchyard_two", "switchyard_three"]) await target.db(name).dropDatabase();
  });

  async function imported(
    options: { replace?: boolean; source?: Archive } = {},
  ): Promise<Map<string, ImportedCollection>> {
    const done = new Map<string, ImportedCollection>();
    await importInto(target, options.source ?? archive, {
      replace: options.replace ?? false,
      onImported: (collection) => done.set(collection.name, collection),
    });
    return done;
  }
  const getRaw = async (client: mongo.MongoClient, database: string, name: string): Promise<Buffer[]> =>
    (await client
      .db(database)
      .collection(name)
      .find({}, { raw: true, sort: { _id: 1 } })
      .toArray()) as unknown as Buffer[];
  const getTargetValues = () => target.db("switchyard_one").collection<mongo.Document>("values");

  it("writes a manifest with counts and hashes, and files of concatenated documents", async () => {
    await archive.verify();
    const found = archive.collections.find(({ name }) => name === "values");
    const bytes = await readFile(join(folder, "archive", found?.file ?? ""));
    expect(found).toMatchObject({ documents: values.length, bytes: bytes.length });
    expect(found?.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(bytes.equals(Buffer.concat(await getRaw(source, "switchyard_one", "values")))).toBe(true);
    await expect(writeArchive(archive, join(folder, "archive"), () => undefined)).rejects.toThrow("already exists");
  });

  it("imports every document byte for byte, with the indexes and their options", async () => {
    const done = await imported();
    expect(done.get("many")).toMatchObject({ inserted: 1_000, existing: 0, expired: 0 });
    expect(done.get("values")).toMatchObject({ inserted: values.length, existing: 0 });
    expect(done.get("empty")).toMatchObject({ inserted: 0, existing: 0 });
    for (const name of ["values", "many"]) {
      const [before, after] = [
        await getRaw(source, "switchyard_one", name),
        await getRaw(target, "switchyard_one", name),
      ];
      expect(after.map((each) => each.toString("hex"))).toEqual(before.map((each) => each.toString("hex")));
      expect(done.get(name)?.sha256).toBe(archive.collections.find((each) => each.name === name)?.sha256);
    }
    const types = BSON.deserialize((await getRaw(target, "switchyard_one", "values"))[2] as Buffer, {
      promoteValues: false,
    });
    expect(types).toMatchObject({
      _id: "b",
      long: { _bsontype: "Long" },
      whole: { _bsontype: "Double" },
      at: values[0]?.at,
    });
    const indexes = await getTargetValues().listIndexes().toArray();
    expect(indexes).toMatchObject([
      { name: "_id_" },
      { name: "by_text", key: { text: 1, "nested.deep": -1 }, unique: true, sparse: true },
      { name: "partial", key: { at: 1 }, partialFilterExpression: { long: { $gte: 1 } } },
    ]);
    expect(await target.db("switchyard_two").collection("expiring").listIndexes().toArray()).toMatchObject([
      { name: "_id_" },
      { name: "until", expireAfterSeconds: 0 },
    ]);
    const names = (await target.db("switchyard_two").listCollections().toArray()).map(({ name }) => name);
    expect(names.sort()).toEqual(["empty", "expiring"]);
  });

  const onMongo = testDatabaseName === "MongoDB" ? it : it.skip;
  onMongo("keeps types as a real MongoDB sees them (skipped without MONGOD_BINARY)", async () => {
    await imported();
    const types = {
      long: "long",
      whole: "double",
      small: "int",
      at: "date",
      blob: "binData",
      yes: "bool",
      least: "long",
    };
    for (const [field, $type] of Object.entries(types)) {
      expect({ field, count: await getTargetValues().countDocuments({ [field]: { $type } }) }).toEqual({
        field,
        count: 1,
      });
    }
  });

  it("skips expired documents, even if it is run again", async () => {
    expect((await imported()).get("expiring")).toMatchObject({ inserted: 1, existing: 0, expired: 2 });
    expect((await imported()).get("expiring")).toMatchObject({ inserted: 0, existing: 1, expired: 2 });
    expect(await getRaw(target, "switchyard_two", "expiring")).toHaveLength(1);
  });

  it("accepts documents that expire during the comparison, on either side", async () => {
    const expiring = target.db("switchyard_two").collection<{ _id: number; at: Date }>("expiring");
    const over = new Date(Date.now() - hour);
    await expiring.insertMany([0, 2.5, 9].map((_id) => ({ _id, at: over })));
    expect((await imported()).get("expiring")).toMatchObject({ inserted: 1, existing: 0, expired: 2 });
    await expiring.updateOne({ _id: 9 }, { $set: { at: new Date(Date.now() + hour) } }, { upsert: true });
    await expect(imported()).rejects.toThrow(/switchyard_two\.expiring in the target has the document with the _id 9,/);
  });

  it("changes nothing when run again", async () => {
    const first = await imported();
    const again = await imported();
    for (const [name, { inserted, existing, sha256 }] of again) {
      expect({ name, inserted, existing }).toEqual({ name, inserted: 0, existing: first.get(name)?.inserted });
      expect(sha256).toBe(first.get(name)?.sha256);
    }
  });

  it("continues after an interrupted import", async () => {
    await imported();
    await target
      .db("switchyard_one")
      .collection("many")
      .deleteMany({ n: { $gte: 123 } });
    await getTargetValues().drop();
    const done = await imported();
    expect(done.get("many")).toMatchObject({ inserted: 877, existing: 123 });
    expect(done.get("values")).toMatchObject({ inserted: values.length, existing: 0 });
    expect(await getTargetValues().listIndexes().toArray()).toHaveLength(3);
  });

  describe("an import writes nothing and reports", () => {
    async function expectRefusal(message: string | RegExp): Promise<void> {
      await expect(imported()).rejects.toThrow(message);
      expect(await target.db("switchyard_one").collection("many").countDocuments()).toBe(0);
    }

    it("a different document, even if only the type of a number differs", async () => {
      await getTargetValues().insertOne({ ...values[0], small: new Double(1) } as unknown as mongo.Document);
      await expectRefusal(
        /switchyard_one\.values in the target differs from the archive .* in the document with the _id "b"/,
      );
      expect(await getTargetValues().countDocuments()).toBe(1);
    });

    it.each([["before"], [values[2]?._id], ["~ after"], [8]])(
      "a document that only the target has: %s",
      async (_id) => {
        await getTargetValues().insertMany([values[1], values[0], { _id }] as unknown as mongo.Document[]);
        if (_id === values[2]?._id) await expectRefusal(/differs .*65f000000000000000000001/);
        else await expectRefusal(`_id ${JSON.stringify(_id)}, which the archive`);
      },
    );

    it("a collection that only the target has, unless it is empty", async () => {
      await target.db("switchyard_one").createCollection("of_later_versions");
      await imported();
      await target.db("switchyard_one").dropDatabase();
      await target.db("switchyard_three").collection("guests").insertOne({ name: "Ada" });
      await expectRefusal("the target has the collection switchyard_three.guests");
    });

    it("an index of the same name that differs", async () => {
      await getTargetValues().createIndex({ text: -1 }, { name: "by_text" });
      await expectRefusal("the index by_text of switchyard_one.values in the target differs");
    });
  });

  it("replaces existing data only with the option replace", async () => {
    await getTargetValues().insertOne({ _id: "b", small: 2 } as unknown as mongo.Document);
    await target.db("switchyard_three").collection("guests").insertOne({ name: "Ada" });
    expect((await imported({ replace: true })).get("values")).toMatchObject({
      inserted: values.length,
      existing: 0,
    });
    expect(await target.db("switchyard_three").collection("guests").countDocuments()).toBe(0);
  });

  it("imports directly from a server", async () => {
    const server = await createServerSource(source, "the store");
    const done: number[] = [];
    await importInto(target, server, { replace: false, onImported: ({ inserted }) => done.push(inserted) });
    expect(done).toEqual([1_000, values.length, 0, 1]);
    expect((await imported()).get("many")).toMatchObject({ inserted: 0, existing: 1_000 });
  });
});
