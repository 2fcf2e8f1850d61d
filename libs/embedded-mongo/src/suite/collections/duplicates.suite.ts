import { Long, ObjectId, type Document } from "mongodb";
import { getFailure, rows, type SuiteContext, type Things } from "../context.suite.ts";

/** Writes of a second `{ k: 1 }` to a collection with `{ _id: 1, k: 1 }` and `{ _id: 2, k: 2 }`. */
const ways: [string, (things: Things) => Promise<unknown>][] = [
  ["insertOne", (things) => things.insertOne({ k: 1 })],
  ["an insert as a command", (things) => firstError(things, [{ k: 1 }])],
  ["updateOne", (things) => things.updateOne({ _id: 2 }, { $set: { k: 1 } })],
  ["updateMany", (things) => things.updateMany({ k: { $gte: 1 } }, { $set: { k: 1 } })],
  ["replaceOne", (things) => things.replaceOne({ _id: 2 }, { k: 1 })],
  ["an upsert", (things) => things.updateOne({ _id: 3 }, { $set: { k: 1 } }, { upsert: true })],
  [
    "an upsert with the key in its query",
    (things) => things.updateOne({ k: 1, other: 1 }, { $set: { z: 1 } }, { upsert: true }),
  ],
  ["an upserted replacement", (things) => things.replaceOne({ _id: 3 }, { k: 1 }, { upsert: true })],
  ["findOneAndUpdate", (things) => things.findOneAndUpdate({ _id: 2 }, { $inc: { k: -1 } })],
  ["findOneAndReplace", (things) => things.findOneAndReplace({ _id: 2 }, { k: 1 })],
  [
    "an upsert by findOneAndUpdate",
    (things) => things.findOneAndUpdate({ _id: 3 }, { $set: { k: 1 } }, { upsert: true }),
  ],
];

/** Rejects with the first error of an insert as the server sent it, because the driver leaves out unknown fields. */
async function firstError(things: Things, documents: Document[]): Promise<void> {
  const { writeErrors } = await things.db.command({ insert: things.collectionName, documents });
  throw Object.assign(new Error(writeErrors[0].errmsg as string), writeErrors[0]);
}

const id = new ObjectId("65a1b2c3d4e5f60718293a4b");

/** An index, a document, another one with the same key, and the keyValue that is reported. */
const kinds: [string, Document, Document, Document, Document, Document?][] = [
  ["a compound key", { a: 1, b: -1 }, { a: 1, b: "x" }, { a: 1, b: "x", c: 1 }, { a: 1, b: "x" }],
  ["a missing field", { a: 1 }, {}, { b: 1 }, { a: null }],
  ["null and missing", { a: 1 }, { a: null }, {}, { a: null }],
  ["a path", { "a.b": 1 }, { a: { b: 1 } }, { a: { b: 1, c: 2 } }, { "a.b": 1 }],
  ["an element of an array", { a: 1 }, { a: [1, 2] }, { a: [2, 3] }, { a: 2 }],
  ["a scalar and an element of an array", { a: 1 }, { a: [1, 2] }, { a: 1 }, { a: 1 }],
  ["a path through an array", { "a.b": 1 }, { a: [{ b: 1 }, { b: 2 }] }, { a: { b: 2 } }, { "a.b": 2 }],
  ["a whole document", { a: 1 }, { a: { x: 1, y: 2 } }, { a: { x: 1, y: 2 } }, { a: { x: 1, y: 2 } }],
  ["a Date", { a: 1 }, { a: new Date(-5) }, { a: new Date(-5) }, { a: new Date(-5) }],
  ["an ObjectId", { a: 1 }, { a: id }, { a: id }, { a: id }],
  ["a Long and an Int32", { a: 1 }, { a: Long.fromNumber(5) }, { a: 5 }, { a: 5 }],
  ["-0 and 0", { a: 1 }, { a: -0 }, { a: 0 }, { a: 0 }],
  ["a string with a NUL", { a: 1 }, { a: "x\0y" }, { a: "x\0y" }, { a: "x\0y" }],
  ["a sparse key", { a: 1 }, { a: 7 }, { a: 7 }, { a: 7 }, { sparse: true }],
  [
    "a partial key",
    { a: 1 },
    { a: 7, on: true },
    { a: 7, on: true },
    { a: 7 },
    { partialFilterExpression: { on: true } },
  ],
];

/** Two documents that do not share a key of `{ a: 1 }`. */
const distinct: [string, Document, Document, Document?][] = [
  ["1 and '1'", { a: 1 }, { a: "1" }],
  ["Longs beyond 2^53", { a: Long.fromString("9007199254740992") }, { a: Long.fromString("9007199254740993") }],
  ["documents with fields in another order", { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }],
  ["an empty array and null", { a: [] }, { a: null }],
  ["false and 0", { a: false }, { a: 0 }],
  ["a string and its prefix", { a: "x" }, { a: "x\0" }],
  ["two documents without a sparse key", { b: 1 }, { b: 1 }, { sparse: true }],
  [
    "two documents outside of a partial index",
    { a: 1 },
    { a: 1, on: false },
    { partialFilterExpression: { on: true } },
  ],
  [
    "a document in a partial index and one outside",
    { a: 1, on: true },
    { a: 1 },
    { partialFilterExpression: { on: true } },
  ],
];

/** Tests which keys are duplicates, and how they are reported. */
export function describeDuplicates(context: SuiteContext): void {
  describe("duplicate keys", () => {
    const report = (failure: any): unknown => {
      const first = failure.writeErrors?.[0]?.err ?? failure;
      return { code: failure.code, keyPattern: first.keyPattern, keyValue: first.keyValue };
    };

    it.each(ways)("are rejected by %s", async (_, write) => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await context.things().insertMany([
        { _id: 1, k: 1 },
        { _id: 2, k: 2 },
      ]);
      const failure = await getFailure(write(context.things()));
      expect(report(failure)).toEqual({ code: 11000, keyPattern: { k: 1 }, keyValue: { k: 1 } });
      expect(failure.message).toContain("E11000 duplicate key error collection: ");
      expect(failure.message).toContain("index: k_1 dup key: { k: 1 }");
      expect(await context.things().find().sort({ _id: 1 }).toArray()).toEqual([
        { _id: 1, k: 1 },
        { _id: 2, k: 2 },
      ]);
    });

    it.each(rows(kinds))("are reported for %s", async (_, key, first, second, keyValue, options) => {
      await context.things().createIndex(key, { unique: true, ...options });
      await context.things().insertOne({ ...first });
      const failure = await getFailure(context.things().insertOne({ ...second }));
      expect(report(failure)).toEqual({ code: 11000, keyPattern: key, keyValue });
      expect(await context.things().countDocuments()).toBe(1);
    });

    it.each(rows(distinct))("are not %s", async (_, first, second, options) => {
      await context.things().createIndex({ a: 1 }, { unique: true, ...options });
      await context.things().insertMany([{ ...first }, { ...second }]);
      expect(await context.things().countDocuments()).toBe(2);
    });

    it("are not values within one document", async () => {
      await context.things().createIndex({ "keys.id": 1 }, { unique: true });
      await context.things().insertOne({ _id: 1, keys: [{ id: 1 }, { id: 1 }, { id: 2 }] });
      await context.things().updateOne({ _id: 1 }, { $push: { keys: { id: 2 } } } as Document);
      expect(await getFailure(context.things().insertOne({ keys: { id: 2 } }))).toMatchObject({ code: 11000 });
    });

    it("are accepted again after the first one was changed or deleted", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await context.things().insertMany([
        { _id: 1, k: 1 },
        { _id: 2, k: 2 },
      ]);
      await context.things().updateOne({ _id: 1 }, { $set: { k: 9 } });
      await context.things().deleteOne({ _id: 2 });
      await context.things().insertMany([{ k: 1 }, { k: 2 }]);
      expect(await getFailure(context.things().insertOne({ k: 9 }))).toMatchObject({ code: 11000 });
    });

    it("stop an updateMany, which keeps the earlier changes", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await context.things().insertMany([
        { _id: 1, k: 1 },
        { _id: 2, k: 2 },
        { _id: 3, k: 3 },
      ]);
      expect(await getFailure(context.things().updateMany({}, { $set: { k: 7 } }))).toMatchObject({ code: 11000 });
      expect((await context.things().find().sort({ _id: 1 }).toArray()).map(({ k }) => k as unknown)).toEqual([
        7, 2, 3,
      ]);
    });

    it("of the _id are reported with their value", async () => {
      await context.things().insertOne({ _id: "x" });
      expect(report(await getFailure(context.things().insertOne({ _id: "x" })))).toEqual({
        code: 11000,
        keyPattern: { _id: 1 },
        keyValue: { _id: "x" },
      });
    });
  });
}
