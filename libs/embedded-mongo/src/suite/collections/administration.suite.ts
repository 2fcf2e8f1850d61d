import { Timestamp } from "mongodb";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** Collections, databases, and what clients ask first. */
export function describeAdministration(context: SuiteContext): void {
  describe("collections and databases", () => {
    const names = async (): Promise<string[]> =>
      (
        await context
          .database()
          .listCollections(
            { name: { $in: [context.things().collectionName, context.others().collectionName] } },
            { nameOnly: true },
          )
          .toArray()
      )
        .map(({ name }) => name)
        .sort();

    it("are listed once made, by name or by a first write", async () => {
      await context.database().createCollection(context.others().collectionName);
      await context.things().insertOne({});
      expect(await names()).toEqual([context.others().collectionName, context.things().collectionName]);
    });

    it("are listed with type, options and the index of _id", async () => {
      const name = context.things().collectionName;
      await context.database().createCollection(name);
      expect(await context.database().listCollections({ name }).toArray()).toEqual([
        {
          name,
          type: "collection",
          options: {},
          info: expect.objectContaining({ readOnly: false }),
          idIndex: { v: 2, key: { _id: 1 }, name: "_id_" },
        },
      ]);
    });

    it("cannot be made twice", async () => {
      await context.things().insertOne({});
      const failure = await getFailure(context.database().createCollection(context.things().collectionName));
      expect(failure).toMatchObject({ code: 48, codeName: "NamespaceExists" });
    });

    it("are gone once dropped, with documents and indexes", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await context.things().insertOne({ k: 1 });
      expect(await context.things().drop()).toBe(true);
      expect(await names()).toEqual([]);
      await context.things().insertMany([{ k: 1 }, { k: 1 }]);
      expect(await context.things().indexes()).toHaveLength(1);
    });

    it("of which there is none can be dropped all the same", async () => {
      const outcome: unknown = await context
        .database()
        .command({ drop: context.things().collectionName })
        .catch((error: unknown) => error);
      expect(outcome).toMatchObject({ code: 26, codeName: "NamespaceNotFound" });
      expect(
        await context
          .things()
          .drop()
          .catch((error: { code: number }) => error.code === 26),
      ).toEqual(expect.any(Boolean));
    });

    it("of which there is none have no indexes to list", async () => {
      const command = { listIndexes: context.things().collectionName };
      expect(await getFailure(context.database().command(command))).toMatchObject({ code: 26 });
    });

    it.each([
      ["an empty name", "", 73],
      ["a dollar first", "$a", 73],
      ["a NUL", "a\0b", 73],
      ["a dot first", ".a", 73],
    ])("refuse %s", async (_, name, code) => {
      expect(await getFailure(context.database().command({ create: name }))).toMatchObject({ code });
    });

    it("of a database are dropped with it", async () => {
      const database = context.client().db(`${context.database().databaseName}-${context.count()}`);
      const all = async (): Promise<string[]> =>
        (await context.client().db("admin").admin().listDatabases()).databases.map(({ name }) => name);
      await database.collection("one").insertOne({});
      expect(await all()).toContain(database.databaseName);
      await database.dropDatabase();
      expect(await all()).not.toContain(database.databaseName);
      expect(await database.listCollections().toArray()).toEqual([]);
      await database.dropDatabase();
    });

    it("of two names hold two documents of one _id", async () => {
      await context.things().insertOne({ _id: 1, here: "things" });
      await context.others().insertOne({ _id: 1, here: "others" });
      expect(await context.things().findOne({})).toEqual({ _id: 1, here: "things" });
    });

    it("are served by a replica set that takes writes and has sessions", async () => {
      const hello = await context.client().db("admin").command({ hello: 1 });
      expect(hello).toMatchObject({
        isWritablePrimary: true,
        maxBsonObjectSize: 16777216,
        maxMessageSizeBytes: 48000000,
        maxWriteBatchSize: 100000,
        logicalSessionTimeoutMinutes: 30,
        readOnly: false,
        ok: 1,
      });
      expect(hello["setName"]).toEqual(expect.any(String));
      expect(await context.client().db("admin").command({ ping: 1 })).toMatchObject({ ok: 1 });
      expect(await context.client().db("admin").command({ buildInfo: 1 })).toMatchObject({
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      });
    });

    it("tell their version also to clients that ask in lower case", async () => {
      const built = await context.client().db("admin").command({ buildinfo: 1 });
      expect(built["versionArray"]).toHaveLength(4);
    });

    it("are served with the time of the cluster, in errors too, which reads may be asked to come after", async () => {
      const time = { clusterTime: expect.any(Timestamp), signature: expect.any(Object) };
      const times = { operationTime: expect.any(Timestamp), $clusterTime: time };
      const inserted = await context
        .database()
        .command({ insert: context.things().collectionName, documents: [{ _id: 1 }] });
      expect(inserted).toMatchObject(times);
      const refusal = await getFailure(context.database().command({ create: "" }));
      expect(refusal.errorResponse).toMatchObject(times);
      const { operationTime } = inserted as { operationTime: Timestamp };
      const readConcern = { level: "majority", afterClusterTime: operationTime };
      const found = await context
        .database()
        .command({ find: context.things().collectionName, filter: {}, readConcern });
      expect(found["cursor"].firstBatch).toEqual([{ _id: 1 }]);
      expect(found["operationTime"].greaterThanOrEqual(operationTime)).toBe(true);
    });

    it("show how an index was asked for to be built, which makes no other index of it", async () => {
      await context.things().createIndex({ a: 1 }, { background: true });
      await context.things().createIndex({ b: 1 });
      const [, background, foreground] = await context.things().indexes();
      expect(background).toEqual({ v: 2, key: { a: 1 }, name: "a_1", background: true });
      expect(foreground).toEqual({ v: 2, key: { b: 1 }, name: "b_1" });
      await context.things().createIndex({ a: 1 });
      await context.things().createIndex({ b: 1 }, { background: true });
      expect(await context.things().indexes()).toHaveLength(3);
    });
  });
}
