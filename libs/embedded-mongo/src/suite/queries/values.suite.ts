import { Binary, Decimal128, Double, Int32, Long, MaxKey, ObjectId, Timestamp, UUID } from "mongodb";
import { exactly, getFailure, getIds, stored, type SuiteContext } from "../context.suite.ts";

const id = new ObjectId("65a1b2c3d4e5f60718293a4b");

/** A value, and its canonical extended JSON. */
const values: [string, unknown, unknown][] = [
  ["a small Int32", new Int32(1), { $numberInt: "1" }],
  ["the minimum Int32", new Int32(-2147483648), { $numberInt: "-2147483648" }],
  ["a whole Double", new Double(1), { $numberDouble: "1.0" }],
  ["a Double with a fraction", new Double(0.1), { $numberDouble: "0.1" }],
  ["-0", new Double(-0), { $numberDouble: "-0.0" }],
  ["NaN", new Double(Number.NaN), { $numberDouble: "NaN" }],
  ["Infinity", new Double(Infinity), { $numberDouble: "Infinity" }],
  ["-Infinity", new Double(-Infinity), { $numberDouble: "-Infinity" }],
  ["the minimum positive Double", new Double(5e-324), { $numberDouble: "5e-324" }],
  ["the maximum Double", new Double(Number.MAX_VALUE), { $numberDouble: "1.7976931348623157e+308" }],
  ["a small Long", Long.fromNumber(1), { $numberLong: "1" }],
  ["a Long beyond 2^53", Long.fromString("9007199254740993"), { $numberLong: "9007199254740993" }],
  ["the maximum Long", Long.MAX_VALUE, { $numberLong: "9223372036854775807" }],
  ["the minimum Long", Long.MIN_VALUE, { $numberLong: "-9223372036854775808" }],
  ["the Date 0", new Date(0), { $date: { $numberLong: "0" } }],
  ["a Date just before 1970", new Date(-1), { $date: { $numberLong: "-1" } }],
  ["a Date of the year 1", new Date(-62135596800000), { $date: { $numberLong: "-62135596800000" } }],
  ["a Date of the year 9999", new Date(253402300799999), { $date: { $numberLong: "253402300799999" } }],
  ["an ObjectId", id, { $oid: "65a1b2c3d4e5f60718293a4b" }],
  ["binary data", new Binary(Buffer.from([0, 1, 255])), { $binary: { base64: "AAH/", subType: "00" } }],
  ["empty binary data", new Binary(Buffer.alloc(0)), { $binary: { base64: "", subType: "00" } }],
  [
    "a UUID",
    new UUID("00112233-4455-6677-8899-aabbccddeeff"),
    { $binary: { base64: "ABEiM0RVZneImaq7zN3u/w==", subType: "04" } },
  ],
  ["binary data of another subtype", new Binary(Buffer.from([7]), 128), { $binary: { base64: "Bw==", subType: "80" } }],
  ["true", true, true],
  ["false", false, false],
  ["null", null, null],
  ["an empty string", "", ""],
  ["a string with a NUL", "a\0b", "a\0b"],
  ["a string beyond the basic multilingual plane", "\u{1F600}\uFFFD", "\u{1F600}\uFFFD"],
  ["an empty document", {}, {}],
  ["a document with fields in a certain order", { b: "x", a: { d: "y", c: null } }, { b: "x", a: { d: "y", c: null } }],
  ["a document with an empty field name", { "": "x" }, { "": "x" }],
];

/** Tests that values are stored unchanged and found by equality. */
export function describeValues(context: SuiteContext): void {
  describe("values", () => {
    it.each(values)("are stored and found, even in arrays: %s", async (_, value, expected) => {
      const things = context.things();
      await things.createIndex({ indexed: 1 });
      await things.insertOne({ _id: 1, indexed: value, plain: value, list: [value, [value]] });
      await things.insertOne({ _id: 2, indexed: "other", plain: "other", list: ["other"] });
      await things.updateOne({ _id: 1 }, { $set: { changed: true } });
      expect(await stored(things, { _id: 1 })).toEqual({
        _id: { $numberInt: "1" },
        indexed: expected,
        plain: expected,
        list: [expected, [expected]],
        changed: true,
      });
      for (const query of [
        { indexed: value },
        { plain: value },
        { list: value },
        { indexed: { $in: [value, 77] } },
        { plain: { $ne: "other" } },
      ]) {
        expect([query, await getIds(things, query)]).toEqual([query, [1]]);
      }
    });

    it.each(values.filter(([, value]) => value !== null))("can be the _id: %s", async (_, value, expected) => {
      const things = context.things();
      await things.insertOne({ _id: value, n: 1 });
      await things.insertOne({ _id: "another" });
      expect((await stored(things, { _id: value }))._id).toEqual(expected);
      expect(await getFailure(things.insertOne({ _id: value }))).toMatchObject({ code: 11000, keyPattern: { _id: 1 } });
      expect((await things.updateOne({ _id: value }, { $inc: { n: 1 } })).modifiedCount).toBe(1);
      expect((await things.deleteOne({ _id: value })).deletedCount).toBe(1);
      expect(await things.countDocuments()).toBe(1);
    });

    it("can be the _id: null", async () => {
      // The driver would generate an _id.
      const command = { insert: context.things().collectionName, documents: [{ _id: null }] };
      expect(await context.database().command(command)).toMatchObject({ n: 1 });
      expect(await context.database().command(command)).toMatchObject({ n: 0, writeErrors: [{ code: 11000 }] });
      expect(await context.things().findOne({ _id: null })).toEqual({ _id: null });
    });

    it("include a new ObjectId as the first field if there is no _id", async () => {
      await context.database().command({ insert: context.things().collectionName, documents: [{ a: 1 }] });
      const found = await context.things().findOne({});
      expect(Object.keys(found)).toEqual(["_id", "a"]);
      expect(found._id).toBeInstanceOf(ObjectId);
    });

    it("start with the _id, even if it was not the first field", async () => {
      await context.things().insertOne({ a: 1, _id: 5 });
      expect(Object.keys(await context.things().findOne({}))).toEqual(["_id", "a"]);
    });

    it("can be nested a hundred levels deep", async () => {
      let deep: object = { end: true };
      for (let depth = 0; depth < 95; depth += 1) deep = { deep };
      await context.things().insertOne({ _id: 1, deep });
      expect((await context.things().findOne({})).deep).toEqual(deep);
    });

    it("are equal for an Int32 and a Double of the same value, but keep their type", async () => {
      await context.things().insertMany([
        { _id: 1, n: new Int32(2) },
        { _id: 2, n: new Double(2) },
      ]);
      expect(await context.ids({ n: 2 })).toEqual([1, 2]);
      expect(await stored(context.things(), { _id: 1 })).toEqual({
        _id: exactly(new Int32(1)),
        n: { $numberInt: "2" },
      });
      expect(await stored(context.things(), { _id: 2 })).toEqual({
        _id: exactly(new Int32(2)),
        n: { $numberDouble: "2.0" },
      });
    });

    const others: [string, unknown][] = [
      ["a Timestamp", new Timestamp({ t: 4294967295, i: 2 })],
      ["MaxKey", new MaxKey()],
      ["a regular expression", /a/i],
    ];
    for (const [name, value] of others) {
      context.differs(`can be ${name}`, "types", {
        async real() {
          await context.things().insertOne({ _id: 1, value });
          expect((await context.things().findOne({})).value).toEqual(value);
        },
        async here() {
          expect(await getFailure(context.things().insertOne({ _id: 1, value }))).toMatchObject({ code: 238 });
          expect(await getFailure(context.things().findOne({ list: [value] }))).toMatchObject({ code: 238 });
        },
      });
    }

    const amount = Decimal128.fromString("1.50");
    context.differs("can be a Decimal128", "types", {
      async real() {
        await context.things().insertOne({ _id: 1, amount });
        expect((await context.things().findOne({ amount: 1.5 })).amount).toEqual(amount);
      },
      async here() {
        for (const attempt of [
          () => context.things().insertOne({ amount }),
          () => context.things().insertOne({ a: [{ amount }] }),
          () => context.things().updateOne({}, { $set: { amount } }, { upsert: true }),
          () => context.things().findOne({ amount }),
        ]) {
          expect(await getFailure(attempt())).toMatchObject({
            code: 238,
            message: expect.stringContaining("Decimal128"),
          });
        }
        expect(await context.things().countDocuments()).toBe(0);
      },
    });
  });
}
