import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { cp, mkdtemp, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import type { mongo } from "mongoose";
import { startTestDatabase, testDatabaseName } from "../testing/index.ts";
import type { TestDatabase } from "../testing/index.ts";
import { connectForMoving, createServerSource, importInto, openArchive, writeArchive } from "./index.ts";
import type { Archive, ImportedCollection } from "./index.ts";

const { Binary, BSON, Double, Int32, Long, ObjectId } = mongoose.mongo;

const hour = 3_600_000;

/** Values that lose their type, or their order, when they pass through plain JavaScript. */
const treasures = [
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
  { _id: { shelf: new Int32(2), book: "x" }, text: "žluť ☃" },
];

describe(`moving a store into another, on the ${testDatabaseName}`, () => {
  let folder: string;
  let from: TestDatabase;
  let to: TestDatabase;
  let source: mongo.MongoClient;
  let target: mongo.MongoClient;
  let archive: Archive;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-archive-"));
    [from, to] = [await startEmbeddedMongo({ folder: ":memory:" }), await startTestDatabase()];
    [source, target] = [await connectForMoving(from.uri), await connectForMoving(to.uri)];
    const shelf = source.db("switchyard_one").collection<mongo.Document>("treasures");
    await shelf.insertMany(treasures as unknown as mongo.Document[]);
    await shelf.createIndex({ text: 1, "nested.deep": -1 }, { name: "by_text", unique: true, sparse: true });
    await shelf.createIndex({ at: 1 }, { name: "of_some", partialFilterExpression: { long: { $gte: 1 } } });
    const many = source.db("switchyard_one").collection<{ _id: string; n: number; big: mongo.Binary }>("many");
    await many.insertMany(
      Array.from({ length: 1_000 }, (_, n) => ({ _id: `n${n}`, n, big: new Binary(Buffer.alloc(4_000, n)) })),
    );
    const passing = source.db("switchyard_two").collection<mongo.Document>("passing");
    await passing.insertMany([
      { _id: 1, at: new Date(Date.now() - hour) },
      { _id: 2, at: new Date(Date.now() + hour) },
      { _id: 3, at: [new Date(Date.now() + hour), new Date(Date.now() - hour)] },
    ] as unknown as mongo.Document[]);
    await passing.createIndex({ at: 1 }, { name: "until", expireAfterSeconds: 0 });
    await source.db("switchyard_two").createCollection("empty");
    await source.db("elsewhere").createCollection("not_ours");
    const written: string[] = [];
    await writeArchive(await createServerSource(source, "the store"), join(folder, "archive"), ({ database, name }) => {
      written.push(`${database}.${name}`);
    });
    expect(written).toEqual([
      "switchyard_one.many",
      "switchyard_one.treasures",
      "switchyard_two.empty",
      "switchyard_two.passing",
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
      done: (collection) => done.set(collection.name, collection),
    });
    return done;
  }
  const getRaw = async (client: mongo.MongoClient, database: string, name: string): Promise<Buffer[]> =>
    (await client
      .db(database)
      .collection(name)
      .find({}, { raw: true, sort: { _id: 1 } })
      .toArray()) as unknown as Buffer[];
  const getTargetShelf = () => target.db("switchyard_one").collection<mongo.Document>("treasures");

  it("writes a manifest with counts and hashes, and files that are nothing but the documents", async () => {
    await archive.verify();
    const found = archive.collections.find(({ name }) => name === "treasures");
    const bytes = await readFile(join(folder, "archive", found?.file ?? ""));
    expect(found).toMatchObject({ documents: treasures.length, bytes: bytes.length });
    expect(found?.sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect(bytes.equals(Buffer.concat(await getRaw(source, "switchyard_one", "treasures")))).toBe(true);
    await expect(writeArchive(archive, join(folder, "archive"), () => undefined)).rejects.toThrow("is there already");
  });

  it("writes every document byte for byte, with its indexes and their options", async () => {
    const done = await imported();
    expect(done.get("many")).toMatchObject({ inserted: 1_000, already: 0, expired: 0 });
    expect(done.get("treasures")).toMatchObject({ inserted: treasures.length, already: 0 });
    expect(done.get("empty")).toMatchObject({ inserted: 0, already: 0 });
    for (const name of ["treasures", "many"]) {
      const [before, after] = [
        await getRaw(source, "switchyard_one", name),
        await getRaw(target, "switchyard_one", name),
      ];
      expect(after.map((each) => each.toString("hex"))).toEqual(before.map((each) => each.toString("hex")));
      expect(done.get(name)?.sha256).toBe(archive.collections.find((each) => each.name === name)?.sha256);
    }
    const types = BSON.deserialize((await getRaw(target, "switchyard_one", "treasures"))[2] as Buffer, {
      promoteValues: false,
    });
    expect(types).toMatchObject({
      _id: "b",
      long: { _bsontype: "Long" },
      whole: { _bsontype: "Double" },
      at: treasures[0]?.at,
    });
    const indexes = await getTargetShelf().listIndexes().toArray();
    expect(indexes).toMatchObject([
      { name: "_id_" },
      { name: "by_text", key: { text: 1, "nested.deep": -1 }, unique: true, sparse: true },
      { name: "of_some", key: { at: 1 }, partialFilterExpression: { long: { $gte: 1 } } },
    ]);
    expect(await target.db("switchyard_two").collection("passing").listIndexes().toArray()).toMatchObject([
      { name: "_id_" },
      { name: "until", expireAfterSeconds: 0 },
    ]);
    const names = (await target.db("switchyard_two").listCollections().toArray()).map(({ name }) => name);
    expect(names.sort()).toEqual(["empty", "passing"]);
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
      expect({ field, count: await getTargetShelf().countDocuments({ [field]: { $type } }) }).toEqual({
        field,
        count: 1,
      });
    }
  });

  it("leaves out what a TTL index has ended, and does not miss it when run again", async () => {
    expect((await imported()).get("passing")).toMatchObject({ inserted: 1, already: 0, expired: 2 });
    expect((await imported()).get("passing")).toMatchObject({ inserted: 0, already: 1, expired: 2 });
    expect(await getRaw(target, "switchyard_two", "passing")).toHaveLength(1);
  });

  it("takes no offence at what expires while it compares, on either side", async () => {
    const passing = target.db("switchyard_two").collection<{ _id: number; at: Date }>("passing");
    const over = new Date(Date.now() - hour);
    await passing.insertMany([0, 2.5, 9].map((_id) => ({ _id, at: over })));
    expect((await imported()).get("passing")).toMatchObject({ inserted: 1, already: 0, expired: 2 });
    await passing.updateOne({ _id: 9 }, { $set: { at: new Date(Date.now() + hour) } }, { upsert: true });
    await expect(imported()).rejects.toThrow(/switchyard_two\.passing in the target has the document with the _id 9,/);
  });

  it("changes nothing when it is run again", async () => {
    const first = await imported();
    const again = await imported();
    for (const [name, { inserted, already, sha256 }] of again) {
      expect({ name, inserted, already }).toEqual({ name, inserted: 0, already: first.get(name)?.inserted });
      expect(sha256).toBe(first.get(name)?.sha256);
    }
  });

  it("goes on where one broke off", async () => {
    await imported();
    await target
      .db("switchyard_one")
      .collection("many")
      .deleteMany({ n: { $gte: 123 } });
    await getTargetShelf().drop();
    const done = await imported();
    expect(done.get("many")).toMatchObject({ inserted: 877, already: 123 });
    expect(done.get("treasures")).toMatchObject({ inserted: treasures.length, already: 0 });
    expect(await getTargetShelf().listIndexes().toArray()).toHaveLength(3);
  });

  describe("refuses, naming it, and writes nothing", () => {
    async function refused(message: string | RegExp): Promise<void> {
      await expect(imported()).rejects.toThrow(message);
      expect(await target.db("switchyard_one").collection("many").countDocuments()).toBe(0);
    }

    it("a document that differs, be it in the type of a number", async () => {
      await getTargetShelf().insertOne({ ...treasures[0], small: new Double(1) } as unknown as mongo.Document);
      await refused(
        /switchyard_one\.treasures in the target differs from the archive .* in the document with the _id "b"/,
      );
      expect(await getTargetShelf().countDocuments()).toBe(1);
    });

    it.each([["before"], [treasures[2]?._id], ["~ after"], [8]])(
      "a document that only the target has: %s",
      async (_id) => {
        await getTargetShelf().insertMany([treasures[1], treasures[0], { _id }] as unknown as mongo.Document[]);
        if (_id === treasures[2]?._id) await refused(/differs .*65f000000000000000000001/);
        else await refused(`_id ${JSON.stringify(_id)}, which the archive`);
      },
    );

    it("a collection that only the target has, unless it is empty", async () => {
      await target.db("switchyard_one").createCollection("of_later_versions");
      await imported();
      await target.db("switchyard_one").dropDatabase();
      await target.db("switchyard_three").collection("guests").insertOne({ name: "Ada" });
      await refused("the target has the collection switchyard_three.guests");
    });

    it("an index of the same name that differs", async () => {
      await getTargetShelf().createIndex({ text: -1 }, { name: "by_text" });
      await refused("the index by_text of switchyard_one.treasures in the target differs");
    });
  });

  it("replaces what the target has only when it is told to", async () => {
    await getTargetShelf().insertOne({ _id: "b", small: 2 } as unknown as mongo.Document);
    await target.db("switchyard_three").collection("guests").insertOne({ name: "Ada" });
    expect((await imported({ replace: true })).get("treasures")).toMatchObject({
      inserted: treasures.length,
      already: 0,
    });
    expect(await target.db("switchyard_three").collection("guests").countDocuments()).toBe(0);
  });

  it("moves straight from a server as well", async () => {
    const straight = await createServerSource(source, "the store");
    const done: number[] = [];
    await importInto(target, straight, { replace: false, done: ({ inserted }) => done.push(inserted) });
    expect(done).toEqual([1_000, treasures.length, 0, 1]);
    expect((await imported()).get("many")).toMatchObject({ inserted: 0, already: 1_000 });
  });

  describe("an archive that is not whole is an error that says so", () => {
    const damaged = async (change: (copy: string) => Promise<void>): Promise<string> => {
      const copy = await mkdtemp(join(folder, "copy-"));
      await cp(join(folder, "archive"), copy, { recursive: true });
      await change(copy);
      return copy;
    };
    const manifest = async (copy: string, change: (text: string) => string): Promise<void> => {
      const path = join(copy, "manifest.json");
      await writeFile(path, change(await readFile(path, "utf8")));
    };
    const many = "switchyard_one.many.bson";

    it.each([
      ["cut off", async (copy: string) => truncate(join(copy, many), 1_000_000), `${many} is damaged: it ends within`],
      ["shorter", async (copy: string) => truncate(join(copy, many), 0), `${many} is damaged: its 0 documents`],
      [
        "foreign",
        async (copy: string) => writeFile(join(copy, many), "hello, world"),
        `${many} is damaged: a document of`,
      ],
      ["missing", async (copy: string) => rm(join(copy, many)), many],
    ])("a file that is %s", async (_name, change, message) => {
      const opened = await openArchive(await damaged(change));
      await expect(opened.verify()).rejects.toThrow(message);
    });

    it("one changed byte", async () => {
      const copy = await damaged(async (path) => {
        const bytes = await readFile(join(path, many));
        bytes[bytes.length - 100] = 99;
        await writeFile(join(path, many), bytes);
      });
      await expect((await openArchive(copy)).verify()).rejects.toThrow(`${many} is damaged`);
    });

    it.each([
      ["no JSON", (text: string) => text.slice(0, 500), "manifest.json is no JSON"],
      ["of something else", () => "{}", "of something else"],
      ["of a later version", (text: string) => text.replace('"version": 1', '"version": 2'), "version 2"],
      ["without its files", (text: string) => text.replace(`"${many}"`, '"../many.bson"'), "does not describe"],
    ])("a manifest that is %s", async (_name, change, message) => {
      const copy = await damaged((path) => manifest(path, change));
      await expect(openArchive(copy)).rejects.toThrow(message);
    });

    it("a folder without a manifest", async () => {
      await expect(openArchive(join(folder, "nothing"))).rejects.toThrow("nothing is no archive");
    });
  });
});
