import { Long, type Document } from "mongodb";
import { stored, type SuiteContext } from "../context.suite.ts";

/** A document, an update, and the updated document. */
const cases: [string, Document, Document, Document][] = [
  ["$set of a new field", { a: 1 }, { $set: { b: 2 } }, { a: 1, b: 2 }],
  [
    "$set of several fields, with new ones sorted by name",
    { x: 0 },
    { $set: { c: 1, b: 2, a: 3 } },
    { x: 0, a: 3, b: 2, c: 1 },
  ],
  ["$set within a document", { a: { b: 1, c: 2 } }, { $set: { "a.b": 9 } }, { a: { b: 9, c: 2 } }],
  ["$set that creates the parent documents", {}, { $set: { "a.b.c": 1 } }, { a: { b: { c: 1 } } }],
  ["$set of a whole document", { a: { b: 1, c: 2 } }, { $set: { a: { d: 1 } } }, { a: { d: 1 } }],
  ["$set of a numeric field name in a document", { a: {} }, { $set: { "a.0": 1 } }, { a: { "0": 1 } }],
  ["$set of a numeric field name in a missing field", {}, { $set: { "a.0": 1 } }, { a: { "0": 1 } }],
  ["$set of an array element", { a: [1, 2] }, { $set: { "a.1": 9 } }, { a: [1, 9] }],
  ["$set beyond the end of an array, which adds nulls", { a: [1] }, { $set: { "a.3": 9 } }, { a: [1, null, null, 9] }],
  ["$set in a document of an array", { a: [{ b: 1 }] }, { $set: { "a.0.c": 2 } }, { a: [{ b: 1, c: 2 }] }],
  ["$set of null", { a: 1 }, { $set: { a: null } }, { a: null }],
  ["$set of the same _id", { a: 1 }, { $set: { _id: 1, a: 2 } }, { a: 2 }],
  ["$set of a value with a dollar in a field name", { a: 1 }, { $set: { a: { $b: 1 } } }, { a: { $b: 1 } }],
  ["$unset of a field", { a: 1, b: 2 }, { $unset: { a: "" } }, { b: 2 }],
  ["$unset within a document", { a: { b: 1 } }, { $unset: { "a.b": 1 } }, { a: {} }],
  ["$unset of a missing field", { a: 1 }, { $unset: { "b.c": 1 } }, { a: 1 }],
  ["$unset through a scalar", { a: 1 }, { $unset: { "a.b": 1 } }, { a: 1 }],
  ["$unset in an array, which leaves null", { a: [1, 2, 3] }, { $unset: { "a.1": 1 } }, { a: [1, null, 3] }],
  ["$inc that creates the parent documents", {}, { $inc: { "a.b": 2 } }, { a: { b: 2 } }],
  ["$inc by a negative number", { n: 1 }, { $inc: { n: -3 } }, { n: -2 }],
  ["$inc in an array", { a: [1, 2] }, { $inc: { "a.0": 5 } }, { a: [6, 2] }],
  [
    "$set, $unset and $inc together",
    { a: 1, b: 1, c: 1 },
    { $set: { a: 5 }, $unset: { b: 1 }, $inc: { c: 1 } },
    { a: 5, c: 2 },
  ],
  ["$setOnInsert, which has no effect", { a: 1 }, { $setOnInsert: { b: 1 }, $set: { a: 2 } }, { a: 2 }],
  ["an empty $set", { a: 1 }, { $set: {} }, { a: 1 }],
];

/** Tests updates, replacements and deletions, and their results. */
export function describeUpdates(context: SuiteContext): void {
  describe("updates", () => {
    it.each(cases)("apply %s", async (_, before, update, after) => {
      await context.things().insertOne({ _id: 1, ...before });
      await context.things().updateOne({ _id: 1 }, update);
      const found = await context.things().findOne({});
      expect(found).toEqual({ _id: 1, ...after });
      expect(Object.keys(found)).toEqual(["_id", ...Object.keys(after)]);
    });

    it("count matched and modified documents separately", async () => {
      await context.things().insertMany([
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
        { _id: 3, a: 1 },
      ]);
      const counts = ({ matchedCount, modifiedCount, upsertedCount }: any): number[] => [
        matchedCount,
        modifiedCount,
        upsertedCount,
      ];
      expect(counts(await context.things().updateMany({}, { $set: { a: 1 } }))).toEqual([3, 1, 0]);
      expect(counts(await context.things().updateOne({ _id: 9 }, { $set: { a: 1 } }))).toEqual([0, 0, 0]);
      expect(counts(await context.things().updateOne({ a: 1 }, { $unset: { b: 1 } }))).toEqual([1, 0, 0]);
      expect(counts(await context.things().updateMany({ _id: { $gt: 1 } }, { $inc: { a: 1 } }))).toEqual([2, 2, 0]);
    });

    it("count a change of only the type as a change", async () => {
      await context.things().insertOne({ _id: 1, n: 1 });
      expect((await context.things().updateOne({}, { $set: { n: Long.fromNumber(1) } })).modifiedCount).toBe(1);
      expect((await stored(context.things())).n).toEqual({ $numberLong: "1" });
    });

    it("change a document once, even if it moves ahead in the index", async () => {
      await context.things().createIndex({ n: 1 });
      await context.things().insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id, n: _id })));
      const result = await context.things().updateMany({ n: { $gte: 0 } }, { $inc: { n: 10 } });
      expect(result.modifiedCount).toBe(50);
      expect(await context.ids({ n: { $lt: 15 } })).toEqual([0, 1, 2, 3, 4]);
    });

    it("replace all fields except the _id", async () => {
      await context.things().insertOne({ _id: 1, a: 1, b: 2 });
      await context.things().replaceOne({ a: 1 }, { c: 3 });
      expect(await context.things().findOne({})).toEqual({ _id: 1, c: 3 });
      await context.things().replaceOne({ _id: 1 }, {});
      expect(await context.things().findOne({})).toEqual({ _id: 1 });
      await context.things().replaceOne({ _id: 1 }, { a: 5, _id: 1 });
      expect(Object.keys(await context.things().findOne({}))).toEqual(["_id", "a"]);
    });

    it("include deletions of one or many documents, with their count", async () => {
      await context.things().insertMany([{ a: 1 }, { a: 1 }, { a: 1 }, { a: 2 }]);
      expect((await context.things().deleteOne({ a: 1 })).deletedCount).toBe(1);
      expect((await context.things().deleteMany({ a: 1 })).deletedCount).toBe(2);
      expect((await context.things().deleteMany({ a: 1 })).deletedCount).toBe(0);
      expect((await context.things().deleteMany({})).deletedCount).toBe(1);
    });

    const found = [
      { _id: 1, a: 1, n: 3 },
      { _id: 2, a: 1, n: 1 },
      { _id: 3, a: 2, n: 2 },
    ];
    it("include findOneAndUpdate with the document before and after, a sort, and a projection", async () => {
      const things = context.things();
      await things.insertMany(structuredClone(found));
      expect(await things.findOneAndUpdate({ _id: 3 }, { $inc: { n: 1 } })).toEqual({ _id: 3, a: 2, n: 2 });
      expect(await things.findOneAndUpdate({ _id: 3 }, { $inc: { n: 1 } }, { returnDocument: "after" })).toEqual({
        _id: 3,
        a: 2,
        n: 4,
      });
      expect(
        await things.findOneAndUpdate(
          { a: 1 },
          { $set: { hit: true } },
          { sort: { n: 1 }, projection: { hit: 1 }, returnDocument: "after" },
        ),
      ).toEqual({ _id: 2, hit: true });
      expect(await things.findOneAndUpdate({ _id: 9 }, { $set: { a: 1 } })).toBeNull();
    });

    it("include findOneAndReplace and findOneAndDelete", async () => {
      const things = context.things();
      await things.insertMany(structuredClone(found));
      expect(await things.findOneAndReplace({ _id: 1 }, { z: 1 }, { returnDocument: "after" })).toEqual({
        _id: 1,
        z: 1,
      });
      expect(await things.findOneAndDelete({ n: { $gt: 0 } }, { sort: { n: -1 } })).toEqual({ _id: 3, a: 2, n: 2 });
      expect(await things.findOneAndDelete({ _id: 3 })).toBeNull();
      expect(await context.ids({})).toEqual([1, 2]);
    });

    it("report the result of findAndModify", async () => {
      const run = (fields: Document): Promise<Document> =>
        context.database().command({ findAndModify: context.things().collectionName, ...fields });
      expect((await run({ query: { _id: 1 }, update: { $set: { a: 1 } }, upsert: true }))["lastErrorObject"]).toEqual({
        n: 1,
        updatedExisting: false,
        upserted: 1,
      });
      expect((await run({ query: { _id: 1 }, update: { $set: { a: 2 } } }))["lastErrorObject"]).toEqual({
        n: 1,
        updatedExisting: true,
      });
      expect((await run({ query: { _id: 1 }, remove: true }))["lastErrorObject"]).toEqual({ n: 1 });
      expect(await run({ query: { _id: 1 }, remove: true })).toMatchObject({ lastErrorObject: { n: 0 }, value: null });
    });
  });
}
