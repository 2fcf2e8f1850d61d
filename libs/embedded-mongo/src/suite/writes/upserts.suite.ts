import { ObjectId, type Document } from "mongodb";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** A query, an update, and the inserted document (without a generated _id). */
const cases: [string, Document, Document, Document][] = [
  ["equalities", { a: 1, b: "x" }, { $set: { c: 2 } }, { a: 1, b: "x", c: 2 }],
  ["$eq", { a: { $eq: 1 } }, { $set: { b: 2 } }, { a: 1, b: 2 }],
  ["paths", { "a.b": 1, "a.c": 2 }, { $set: { d: 1 } }, { a: { b: 1, c: 2 }, d: 1 }],
  ["whole documents", { a: { b: 1 } }, { $set: { c: 1 } }, { a: { b: 1 }, c: 1 }],
  ["whole arrays", { a: [1, 2] }, { $set: { c: 1 } }, { a: [1, 2], c: 1 }],
  ["the parts of $and", { $and: [{ a: 1 }, { b: { $eq: 2 } }] }, { $set: { c: 3 } }, { a: 1, b: 2, c: 3 }],
  ["$or with one branch", { $or: [{ a: 1 }] }, { $set: { c: 3 } }, { a: 1, c: 3 }],
  ["nothing of $or with two branches", { $or: [{ a: 1 }, { b: 1 }] }, { $set: { c: 3 } }, { c: 3 }],
  ["$in with one value", { a: { $in: [1] } }, { $set: { c: 3 } }, { a: 1, c: 3 }],
  ["$in with one value twice", { a: { $in: ["x", "x"] } }, { $set: { c: 3 } }, { a: "x", c: 3 }],
  ["nothing of $in with two values", { a: { $in: [1, 2] } }, { $set: { c: 3 } }, { c: 3 }],
  [
    "nothing of ranges and negations",
    { a: { $gt: 1 }, b: { $ne: 2 }, d: { $exists: true } },
    { $set: { c: 3 } },
    { c: 3 },
  ],
  ["null", { a: null }, { $set: { c: 1 } }, { a: null, c: 1 }],
  ["a value that $set replaces", { a: 1 }, { $set: { a: 2 } }, { a: 2 }],
  ["a value that $inc adds to", { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
  ["$setOnInsert", { a: 1 }, { $setOnInsert: { b: 1, "c.d": 2 }, $inc: { n: 1 } }, { a: 1, b: 1, c: { d: 2 }, n: 1 }],
  ["$push", { a: 1 }, { $push: { list: { $each: [1, 2] } } }, { a: 1, list: [1, 2] }],
  ["$addToSet to an array of the query", { list: [1] }, { $addToSet: { list: 2 } }, { list: [1, 2] }],
  ["$unset of a value of the query", { a: 1, b: 1 }, { $unset: { b: 1 } }, { a: 1 }],
];

/** Tests the documents that upserts insert, and their results. */
export function describeUpserts(context: SuiteContext): void {
  describe("upserts", () => {
    it.each(cases)("insert %s", async (_, query, update, expected) => {
      const result = await context.things().updateOne(query, update, { upsert: true });
      expect(result).toMatchObject({ matchedCount: 0, modifiedCount: 0, upsertedCount: 1 });
      expect(result.upsertedId).toBeInstanceOf(ObjectId);
      const { _id, ...made } = await context.things().findOne({});
      expect(_id).toEqual(result.upsertedId);
      expect(made).toEqual(expected);
    });

    it("use the _id of the query, of $set or of $setOnInsert", async () => {
      const upsert = (query: Document, update: Document): Promise<unknown> =>
        context
          .things()
          .updateOne(query, update, { upsert: true })
          .then(({ upsertedId }) => upsertedId);
      expect(await upsert({ _id: "q" }, { $set: { a: 1 } })).toBe("q");
      expect(await upsert({ a: 2 }, { $set: { _id: "s" } })).toBe("s");
      expect(await upsert({ a: 3 }, { $setOnInsert: { _id: "i" } })).toBe("i");
      expect(await upsert({ _id: { $eq: "e" } }, { $set: { a: 1 } })).toBe("e");
      expect(await context.ids({})).toEqual(["e", "i", "q", "s"]);
    });

    it("insert a replacement with only the _id of the query", async () => {
      await context.things().replaceOne({ _id: 1, a: 1 }, { b: 2 }, { upsert: true });
      expect(await context.things().findOne({})).toEqual({ _id: 1, b: 2 });
      const { upsertedId } = await context.things().replaceOne({ a: 1 }, { b: 3 }, { upsert: true });
      expect(await context.things().findOne({ _id: upsertedId })).toEqual({ _id: upsertedId, b: 3 });
    });

    it("update an existing document, and do not count as an upsert", async () => {
      await context.things().insertOne({ _id: 1, a: 1 });
      const result = await context
        .things()
        .updateOne({ a: 1 }, { $inc: { n: 1 }, $setOnInsert: { m: 1 } }, { upsert: true });
      expect(result).toMatchObject({ matchedCount: 1, modifiedCount: 1, upsertedCount: 0, upsertedId: null });
      expect(await context.things().findOne({})).toEqual({ _id: 1, a: 1, n: 1 });
    });

    it("are supported by updateMany and findOneAndUpdate", async () => {
      expect((await context.things().updateMany({ a: 1 }, { $set: { b: 1 } }, { upsert: true })).upsertedCount).toBe(1);
      const options = { upsert: true, returnDocument: "after" } as const;
      expect(await context.things().findOneAndUpdate({ _id: 7 }, { $set: { b: 2 } }, options)).toEqual({
        _id: 7,
        b: 2,
      });
      expect(await context.things().findOneAndUpdate({ _id: 8 }, { $set: { b: 2 } }, { upsert: true })).toBeNull();
      expect(await context.things().countDocuments()).toBe(3);
    });

    const refused: [string, Document, Document, number][] = [
      ["the same path twice", { "a.b": 1, a: { b: 1 } }, { $set: { c: 1 } }, 54],
      ["the same path twice in $and", { $and: [{ a: 1 }, { a: 2 }] }, { $set: { c: 1 } }, 54],
      ["an _id that differs from the query", { _id: 1 }, { $set: { _id: 2 } }, 66],
      ["an array as the _id", { a: 1 }, { $set: { _id: [1] } }, 53],
      ["a path through a scalar of the query", { a: 1 }, { $set: { "a.b": 1 } }, 28],
      ["$inc of a string of the query", { a: "x" }, { $inc: { a: 1 } }, 14],
    ];
    it.each(refused)("reject %s", async (_, query, update, code) => {
      expect(await getFailure(context.things().updateOne(query, update, { upsert: true }))).toMatchObject({ code });
      expect(await context.things().countDocuments()).toBe(0);
    });
  });
}
