import type { Document } from "mongodb";
import { getFailure, generalized, unsupported, type Code, type SuiteContext } from "../context.suite.ts";

/** Tests the creation, listing and dropping of indexes, and their errors. */
export function describeIndexes(context: SuiteContext): void {
  describe("indexes", () => {
    const make = (...indexes: Document[]): Promise<Document> =>
      context.database().command({ createIndexes: context.things().collectionName, indexes });

    it("are listed with their options, the _id index first", async () => {
      const things = context.things();
      await things.createIndex({ a: 1, b: -1 }, { unique: true });
      await things.createIndex({ "c.d": 1 }, { sparse: true, name: "mine" });
      await things.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      await things.createIndex({ e: 1 }, { partialFilterExpression: { live: true } });
      expect(await things.indexes()).toEqual([
        { v: 2, key: { _id: 1 }, name: "_id_" },
        { v: 2, key: { a: 1, b: -1 }, name: "a_1_b_-1", unique: true },
        { v: 2, key: { "c.d": 1 }, name: "mine", sparse: true },
        { v: 2, key: { at: 1 }, name: "at_1", expireAfterSeconds: 60 },
        { v: 2, key: { e: 1 }, name: "e_1", partialFilterExpression: { live: true } },
      ]);
    });

    it("can be created together, with their collection", async () => {
      const indexes = ["a", "b"].map((name) => ({ key: { [name]: 1 }, name }));
      expect(await make(...indexes)).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 3 });
      expect(await make(...indexes)).toMatchObject({ numIndexesBefore: 3, numIndexesAfter: 3 });
    });

    it("are all created, or none of them", async () => {
      await context.things().insertMany([{ a: 1 }, { a: 1 }]);
      const failure = await getFailure(make({ key: { b: 1 }, name: "b" }, { key: { a: 1 }, name: "a", unique: true }));
      expect(failure).toMatchObject({ code: 11000 });
      expect(await context.things().indexes()).toHaveLength(1);
    });

    it("can be dropped by name, or all except the _id index", async () => {
      const names = async (): Promise<unknown[]> =>
        (await context.things().indexes()).map(({ name }) => name as unknown);
      await context.things().createIndexes(["a", "b", "c", "d"].map((name) => ({ key: { [name]: 1 }, name })));
      await context.things().dropIndex("a");
      expect(await names()).toEqual(["_id_", "b", "c", "d"]);
      await context.things().dropIndexes();
      expect(await names()).toEqual(["_id_"]);
    });

    it("allow duplicates again after a unique one was dropped", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true, name: "k" });
      await context.things().insertOne({ k: 1 });
      expect(await getFailure(context.things().insertOne({ k: 1 }))).toMatchObject({ code: 11000 });
      await context.things().dropIndex("k");
      await context.things().insertOne({ k: 1 });
      expect(await getFailure(context.things().createIndex({ k: 1 }, { unique: true }))).toMatchObject({ code: 11000 });
      expect(await context.things().indexes()).toHaveLength(1);
    });

    const refused: [string, Document, Code][] = [
      ["no key", { key: {}, name: "x" }, 67],
      ["a direction of 0", { key: { a: 0 }, name: "x" }, unsupported(67)],
      ["a direction of true", { key: { a: true }, name: "x" }, unsupported(67)],
      ["an unknown type", { key: { a: "strange" }, name: "x" }, unsupported(67)],
      ["an empty field name", { key: { "a..b": 1 }, name: "x" }, unsupported(67)],
      ["a dollar in a field name", { key: { "a.$b": 1 }, name: "x" }, unsupported(67)],
      ["no name", { key: { a: 1 } }, 9],
      ["an empty name", { key: { a: 1 }, name: "" }, generalized(67, 9)],
      ["the name *", { key: { a: 1 }, name: "*" }, 2],
      ["an unknown option", { key: { a: 1 }, name: "x", strange: 1 }, unsupported(197)],
      ["sparse and partial at once", { key: { a: 1 }, name: "x", sparse: true, partialFilterExpression: { b: 1 } }, 67],
      ["a partial filter that is not a document", { key: { a: 1 }, name: "x", partialFilterExpression: 5 }, 14],
      [
        "a partial filter with $ne",
        { key: { a: 1 }, name: "x", partialFilterExpression: { b: { $ne: 1 } } },
        unsupported(67),
      ],
      [
        "a partial filter for a missing field",
        { key: { a: 1 }, name: "x", partialFilterExpression: { b: { $exists: false } } },
        unsupported(67),
      ],
      ["expiration of several fields", { key: { a: 1, b: 1 }, name: "x", expireAfterSeconds: 1 }, 67],
      ["expiration of _id", { key: { _id: 1 }, name: "x", expireAfterSeconds: 1 }, generalized(197, 85)],
      ["a negative expiration", { key: { a: 1 }, name: "x", expireAfterSeconds: -1 }, 67],
      ["an expiration that is a string", { key: { a: 1 }, name: "x", expireAfterSeconds: "1" }, 67],
      ["a unique option that is a string", { key: { a: 1 }, name: "x", unique: "yes" }, 14],
      ["the name of an index with another key", { key: { b: 1 }, name: "known" }, 86],
      [
        "the name of an index with other options",
        { key: { known: 1 }, name: "known", unique: true },
        generalized(86, 85),
      ],
      [
        "the name of an index with another filter",
        { key: { part: 1 }, name: "part", partialFilterExpression: { at: { $gt: new Date(7) } } },
        generalized(86, 85),
      ],
      ["the key of an index with another name", { key: { known: 1 }, name: "x" }, 85],
      ["the key of an index with another expiration", { key: { at: 1 }, name: "at_1", expireAfterSeconds: 61 }, 85],
    ];
    it.each(refused)("cannot be created with %s", async (_, index, code) => {
      await make({ key: { known: 1 }, name: "known" }, { key: { at: 1 }, name: "at_1", expireAfterSeconds: 60 });
      await make({ key: { part: 1 }, name: "part", partialFilterExpression: { at: { $gt: new Date(5) } } });
      expect(await getFailure(make(index))).toMatchObject({ code: context.code(code) });
      expect(await context.things().indexes()).toHaveLength(4);
    });

    it("cannot be dropped if they do not exist, or are the _id index", async () => {
      await context.things().insertOne({});
      expect(await getFailure(context.things().dropIndex("none"))).toMatchObject({ code: 27 });
      expect(await getFailure(context.things().dropIndex("_id_"))).toMatchObject({ code: 72 });
      const command = { dropIndexes: context.others().collectionName, index: "none" };
      expect(await getFailure(context.database().command(command))).toMatchObject({ code: 26 });
    });

    it("cannot include two arrays of one document", async () => {
      await context.things().createIndex({ a: 1, b: 1 });
      expect(await getFailure(context.things().insertOne({ a: [1], b: [2] }))).toMatchObject({ code: 171 });
      await context.things().insertOne({ _id: 1, a: [1], b: 2 });
      expect(await getFailure(context.things().updateOne({}, { $set: { b: [2, 3] } }))).toMatchObject({ code: 171 });
      await context.things().insertOne({ _id: 2, a: 1, b: [2] });
      expect(await context.ids({ a: 1, b: 2 })).toEqual([1, 2]);
    });

    it("contain a document only while it matches the partial filter", async () => {
      const things = context.things();
      await things.createIndex({ name: 1 }, { unique: true, partialFilterExpression: { live: { $gte: 1 } } });
      await things.insertMany([
        { _id: 1, name: "a", live: 0 },
        { _id: 2, name: "a", live: 1 },
        { _id: 3, name: "a" },
      ]);
      expect(await getFailure(things.updateOne({ _id: 1 }, { $inc: { live: 1 } }))).toMatchObject({ code: 11000 });
      await things.updateOne({ _id: 2 }, { $set: { live: -1 } });
      await things.updateOne({ _id: 1 }, { $inc: { live: 1 } });
      expect(await context.ids({ name: "a", live: { $gte: 1 } })).toEqual([1]);
      expect(await context.ids({ name: "a" })).toEqual([1, 2, 3]);
    });

    it("that are sparse and unique allow many documents without the field, and one with null", async () => {
      await context.things().createIndex({ token: 1 }, { unique: true, sparse: true });
      await context.things().insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, token: null }]);
      expect(await getFailure(context.things().insertOne({ token: null }))).toMatchObject({ code: 11000 });
      expect(await context.ids({ token: null })).toEqual([1, 2, 3]);
      expect(await context.ids({}, { token: 1, _id: 1 })).toEqual([1, 2, 3]);
    });

    it("that are sparse and unique allow array elements without any of the fields", async () => {
      const things = context.things();
      await things.createIndex({ "list.a": 1, "list.b": -1 }, { unique: true, sparse: true });
      await things.insertMany([
        { _id: 1, list: [{ a: 1 }, {}] },
        { _id: 2, list: [{ a: 2 }, 5, { c: 1 }] },
        { _id: 3, list: [{}, { b: 1 }] },
        { _id: 4, list: [{}] },
      ]);
      const taken = [{ a: 7 }, {}, { b: 1 }];
      expect(await getFailure(things.insertOne({ list: taken }))).toMatchObject({ code: 11000 });
      expect(await context.ids({ "list.a": { $gt: 0 } })).toEqual([1, 2]);
      expect(await context.ids({ "list.a": null })).toEqual([1, 2, 3, 4]);
    });

    context.embeddedOnly("remove expired documents, and nothing else", "ttl-interval", async () => {
      const things = context.things();
      await things.createIndex({ at: 1 }, { expireAfterSeconds: 60 });
      const [old, young] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3_600_000)];
      await things.insertMany([
        ...[{ _id: "old", at: old }, { _id: "young", at: young }, { _id: "none" }, { _id: "text", at: "2000" }],
        ...[
          { _id: "number", at: 5 },
          { _id: "one of two", at: [young, old] },
          { _id: "null", at: null },
        ],
      ]);
      for (const deadline = Date.now() + 60_000; (await things.countDocuments()) > 5 && Date.now() < deadline;) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(await context.ids({})).toEqual(["none", "null", "number", "text", "young"]);
    });
  });
}
