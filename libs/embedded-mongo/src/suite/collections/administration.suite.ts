import { Timestamp } from "mongodb";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** Tests collections, databases, and the first commands of clients. */
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

    it("are listed after their creation, by a command or by a first insert", async () => {
      await context.database().createCollection(context.others().collectionName);
      await context.things().insertOne({});
      expect(await names()).toEqual([context.others().collectionName, context.things().collectionName]);
    });

    it("are listed with their type, options and _id index", async () => {
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

    it("cannot be created twice", async () => {
      await context.things().insertOne({});
      const failure = await getFailure(context.database().createCollection(context.things().collectionName));
      expect(failure).toMatchObject({ code: 48, codeName: "NamespaceExists" });
    });

    it("are dropped with their documents and indexes", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await context.things().insertOne({ k: 1 });
      expect(await context.things().drop()).toBe(true);
      expect(await names()).toEqual([]);
      await context.things().insertMany([{ k: 1 }, { k: 1 }]);
      expect(await context.things().indexes()).toHaveLength(1);
    });

    it("can be dropped if they do not exist", async () => {
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

    it("have no indexes to list if they do not exist", async () => {
      const command = { listIndexes: context.things().collectionName };
      expect(await getFailure(context.database().command(command))).toMatchObject({ code: 26 });
    });

    it.each([
      ["an empty name", "", 73],
      ["a leading dollar", "$a", 73],
      ["a NUL", "a\0b", 73],
      ["a leading dot", ".a", 73],
    ])("cannot be created with %s", async (_, name, code) => {
      expect(await getFailure(context.database().command({ create: name }))).toMatchObject({ code });
    });

    it("are dropped with their database", async () => {
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

    it("can contain documents with the same _id", async () => {
      await context.things().insertOne({ _id: 1, here: "things" });
      await context.others().insertOne({ _id: 1, here: "others" });
      expect(await context.things().findOne({})).toEqual({ _id: 1, here: "things" });
    });

    it("are on the primary of a replica set with sessions", async () => {
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

    it("are on a server that also supports buildinfo in lower case", async () => {
      const built = await context.client().db("admin").command({ buildinfo: 1 });
      expect(built["versionArray"]).toHaveLength(4);
    });

    it("are on a server that returns the cluster time, even with errors, and supports reads after such a time", async () => {
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

    it("list the background option of an index, which does not distinguish indexes", async () => {
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
