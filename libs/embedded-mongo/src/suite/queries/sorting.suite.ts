import { Binary, Long, ObjectId, type Document } from "mongodb";
import { getFailure, getIds, type SuiteContext } from "../context.suite.ts";

/** Values in ascending order. */
const orders: [string, unknown[]][] = [
  [
    "values of different types",
    [
      [],
      null,
      -1,
      1.5,
      Long.fromNumber(2),
      "A",
      "a",
      {},
      { a: 1 },
      new Binary(Buffer.from([1])),
      new ObjectId("000000000000000000000001"),
      false,
      true,
      new Date(0),
    ],
  ],
  ["dates around 1970", [new Date(-62135596800000), new Date(-1), new Date(0), new Date(1), new Date(4e12)]],
  ["strings by their UTF-8 bytes, not by UTF-16 units", ["", "\0", "A", "Z", "a", "aa", "ä", "\uFFFD", "\u{1F600}"]],
  [
    "binary data by length, subtype and content",
    [
      new Binary(Buffer.alloc(0)),
      new Binary(Buffer.from([255])),
      new Binary(Buffer.from([0]), 128),
      new Binary(Buffer.from([0, 0])),
      new Binary(Buffer.from([0, 1])),
      new Binary(Buffer.alloc(16), 4),
    ],
  ],
  [
    "ObjectIds",
    ["000000000000000000000001", "7fffffffffffffffffffffff", "800000000000000000000000"].map(
      (text) => new ObjectId(text),
    ),
  ],
  [
    "documents by the type, name and value of each field",
    [{}, { b: null }, { a: 1 }, { a: 1, b: 1 }, { a: 2 }, { b: 1 }, { a: "" }, { a: {} }, { a: [] }, { a: false }],
  ],
  [
    "Longs beyond 2^53",
    ["-9007199254740993", "-9007199254740992", "9007199254740992", "9007199254740993"].map((text) =>
      Long.fromString(text),
    ),
  ],
];

/** Tests the order of values, in sorts, ranges and indexes. */
export function describeSorting(context: SuiteContext): void {
  describe("sorting", () => {
    it.each(orders)("sorts %s, in both directions, with and without an index", async (_, values) => {
      const things = context.things();
      const rows = values.map((value, at) => ({ _id: at, value }));
      await things.insertMany([...rows].reverse());
      const forth = rows.map(({ _id }) => _id);
      const back = [...forth].reverse();
      expect(await getIds(things, {}, { value: 1 })).toEqual(forth);
      expect(await getIds(things, {}, { value: -1 })).toEqual(back);
      await things.createIndex({ value: 1 });
      expect(await getIds(things, {}, { value: 1 })).toEqual(forth);
      expect(await getIds(things, {}, { value: -1 })).toEqual(back);
    });

    it("sorts a missing field like null", async () => {
      await context.things().insertMany([{ _id: 1, a: 1 }, { _id: 2 }, { _id: 3, a: null }, { _id: 4, a: "" }]);
      expect(await context.ids({}, { a: 1, _id: 1 })).toEqual([2, 3, 1, 4]);
      expect(await context.ids({}, { a: 1, _id: -1 })).toEqual([3, 2, 1, 4]);
    });

    it("sorts arrays by their minimum element, and in descending order by their maximum", async () => {
      const rows = [[3, 9], [5], [1, 7], 4, []].map((a, _id) => ({ _id, a }));
      await context.things().insertMany(rows);
      for (const index of [undefined, { a: 1 }] as (Document | undefined)[]) {
        if (index !== undefined) await context.things().createIndex(index);
        expect(await context.ids({}, { a: 1 })).toEqual([4, 2, 0, 3, 1]);
        expect(await context.ids({}, { a: -1 })).toEqual([0, 2, 1, 3, 4]);
      }
    });

    it("sorts by a path through arrays of documents", async () => {
      await context.things().insertMany([
        { _id: 1, a: [{ b: 5 }, { b: 2 }] },
        { _id: 2, a: { b: 3 } },
        { _id: 3, a: [{ c: 1 }, { b: 9 }] },
        { _id: 4, a: 7 },
      ]);
      expect(await context.ids({}, { "a.b": 1, _id: 1 })).toEqual([3, 4, 1, 2]);
      expect(await context.ids({}, { "a.b": -1, _id: 1 })).toEqual([3, 1, 2, 4]);
    });

    it("rejects sorting by two arrays of one document", async () => {
      await context.things().insertOne({ _id: 1, a: [1, 2], b: [3, 4] });
      const failure = await getFailure(context.things().find({}).sort({ a: 1, b: 1 }).toArray());
      expect(failure).toMatchObject({ code: 2, codeName: "BadValue" });
    });

    it("sorts by several fields in mixed directions", async () => {
      const rows = Array.from({ length: 12 }, (_, _id) => ({ _id, a: _id % 3, b: _id % 2 }));
      await context.things().insertMany(rows);
      const expected = [11, 5, 8, 2, 7, 1, 10, 4, 9, 3, 6, 0];
      expect(await context.ids({}, { a: -1, b: -1, _id: -1 })).toEqual([11, 5, 8, 2, 7, 1, 10, 4, 9, 3, 6, 0]);
      await context.things().createIndex({ a: 1, b: 1, _id: 1 });
      expect(await context.ids({}, { a: -1, b: -1, _id: -1 })).toEqual(expected);
      expect(await context.ids({}, { a: 1, b: -1, _id: 1 })).toEqual([3, 9, 0, 6, 1, 7, 4, 10, 5, 11, 2, 8]);
    });

    it("returns pages with skip and limit, and pages after the values of two fields", async () => {
      const things = context.things();
      await things.insertMany(Array.from({ length: 1000 }, (_, at) => ({ _id: at, group: at % 3 })));
      await things.createIndex({ group: 1, _id: -1 });
      const page = await things.find({ group: 1 }).sort({ _id: -1 }).skip(2).limit(3).toArray();
      expect(page.map(({ _id }) => _id as unknown)).toEqual([991, 988, 985]);
      const after = { $or: [{ group: { $gt: 1 } }, { group: 1, _id: { $lt: 10 } }] };
      const next = await things.find(after).sort({ group: 1, _id: -1 }).limit(4).toArray();
      expect(next.map(({ _id }) => _id as unknown)).toEqual([7, 4, 1, 998]);
    });

    it("selects the first document for an update of its matching element", async () => {
      await context.things().insertMany(Array.from({ length: 500 }, (_, _id) => ({ _id, rank: -_id, list: [1, 2] })));
      await context.things().findOneAndUpdate({ list: 2 }, { $set: { "list.$": 9 } }, { sort: { rank: 1 } });
      expect(await context.things().findOne({ _id: 499 })).toMatchObject({ list: [1, 9] });
    });

    it("is limited in ranges to one type of value", async () => {
      const rows = [null, 5, "5", new Date(5), true, { a: 5 }].map((a, _id) => ({ _id, a }));
      await context.things().insertMany([...rows, { _id: 6 }]);
      for (const indexed of [false, true]) {
        if (indexed) await context.things().createIndex({ a: 1 });
        expect(await context.ids({ a: { $gt: 4 } })).toEqual([1]);
        expect(await context.ids({ a: { $gt: "" } })).toEqual([2]);
        expect(await context.ids({ a: { $gte: new Date(0) } })).toEqual([3]);
        expect(await context.ids({ a: { $lt: true } })).toEqual([]);
        expect(await context.ids({ a: { $gte: {} } })).toEqual([5]);
        expect(await context.ids({ a: { $gte: null } })).toEqual([0, 6]);
        expect(await context.ids({ a: { $lt: null } })).toEqual([]);
      }
    });
  });
}
