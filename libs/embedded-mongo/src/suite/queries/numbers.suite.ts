import { Double, Int32, Long } from "mongodb";
import { getIds, stored, type SuiteContext, type Things } from "../context.suite.ts";

const big = (text: string): Long => Long.fromString(text);

const numbers = [
  { _id: "int 1", n: new Int32(1) },
  { _id: "long 1", n: Long.fromNumber(1) },
  { _id: "double 1", n: new Double(1) },
  { _id: "1.5", n: 1.5 },
  { _id: "0", n: new Int32(0) },
  { _id: "-0", n: new Double(-0) },
  { _id: "long 2^53", n: big("9007199254740992") },
  { _id: "long 2^53+1", n: big("9007199254740993") },
  { _id: "double 2^53", n: new Double(9007199254740992) },
  { _id: "greatest long", n: Long.MAX_VALUE },
  { _id: "double 2^63", n: new Double(9223372036854775808) },
  { _id: "least long", n: Long.MIN_VALUE },
  { _id: "NaN", n: Number.NaN },
  { _id: "Infinity", n: Infinity },
  { _id: "-Infinity", n: -Infinity },
];

const ones = ["double 1", "int 1", "long 1"];

const cases: [string, unknown, string[]][] = [
  ["Int32 1", new Int32(1), ones],
  ["Long 1", Long.fromNumber(1), ones],
  ["Double 1", new Double(1), ones],
  ["0", 0, ["-0", "0"]],
  ["-0", new Double(-0), ["-0", "0"]],
  ["Double 2^53", new Double(9007199254740992), ["double 2^53", "long 2^53"]],
  ["Long 2^53", big("9007199254740992"), ["double 2^53", "long 2^53"]],
  ["Long 2^53 + 1", big("9007199254740993"), ["long 2^53+1"]],
  ["the maximum Long", Long.MAX_VALUE, ["greatest long"]],
  ["Double 2^63", new Double(9223372036854775808), ["double 2^63"]],
  ["Double -2^63", new Double(-9223372036854775808), ["least long"]],
  ["NaN", Number.NaN, ["NaN"]],
  ["more than Double 2^53", { $gt: 9007199254740992 }, ["Infinity", "double 2^63", "greatest long", "long 2^53+1"]],
  ["at least the maximum Long", { $gte: Long.MAX_VALUE }, ["Infinity", "double 2^63", "greatest long"]],
  ["less than Double 2^63", { $lt: 9223372036854775808, $gt: 1e18 }, ["greatest long"]],
  ["at most the minimum Long", { $lte: Long.MIN_VALUE }, ["-Infinity", "least long"]],
  ["less than -1, without NaN", { $lt: -1 }, ["-Infinity", "least long"]],
  ["less than NaN", { $lt: Number.NaN }, []],
  ["at most NaN", { $lte: Number.NaN }, ["NaN"]],
  ["at least NaN", { $gte: Number.NaN }, ["NaN"]],
  ["more than NaN", { $gt: Number.NaN }, []],
  ["a list of NaN, -0 and 1.5", { $in: [Number.NaN, -0, 1.5] }, ["-0", "0", "1.5", "NaN"]],
  ["Infinity and more", { $gte: Infinity }, ["Infinity"]],
  ["between 1 and 2", { $gt: 1, $lt: 2 }, ["1.5"]],
];

/** Tests that numbers of three types are compared exactly, by value. */
export function describeNumbers(context: SuiteContext): void {
  describe("numbers", () => {
    const collections: Things[] = [];
    beforeAll(async () => {
      for (const index of [undefined, 1, -1] as const) {
        const things: Things = context.database().collection(`numbers${index ?? ""}`);
        await things.insertMany(numbers);
        if (index !== undefined) await things.createIndex({ n: index });
        collections.push(things);
      }
    });

    it.each(cases)("are found by %s, with and without an index", async (_, condition, expected) => {
      for (const things of collections) expect(await getIds(things, { n: condition })).toEqual(expected);
    });

    it("are sorted by value, NaN first", async () => {
      for (const things of collections) {
        expect((await getIds(things, { n: { $ne: 1 } }, { n: 1, _id: 1 })) as string[]).toEqual([
          ...["NaN", "-Infinity", "least long", "-0", "0", "1.5", "double 2^53", "long 2^53", "long 2^53+1"],
          ...["greatest long", "double 2^63", "Infinity"],
        ]);
      }
    });

    const sums: [string, unknown, unknown, unknown][] = [
      ["Int32 and Int32", new Int32(1), new Int32(2), { $numberInt: "3" }],
      ["Int32 and Int32 beyond 2^31", new Int32(2147483647), new Int32(1), { $numberLong: "2147483648" }],
      ["Int32 and Long", new Int32(1), Long.fromNumber(2), { $numberLong: "3" }],
      ["Int32 and Double", new Int32(1), new Double(2), { $numberDouble: "3.0" }],
      ["Long and Double", Long.fromNumber(1), new Double(0.5), { $numberDouble: "1.5" }],
      ["Long and Int32 beyond 2^53", big("9007199254740992"), new Int32(1), { $numberLong: "9007199254740993" }],
      ["Infinity and -Infinity", new Double(Infinity), new Double(-Infinity), { $numberDouble: "NaN" }],
      ["a missing field and Long", undefined, Long.fromNumber(5), { $numberLong: "5" }],
      ["a missing field and Double", undefined, new Double(5), { $numberDouble: "5.0" }],
    ];
    it.each(sums)("are added by $inc: %s", async (_, before, by, after) => {
      await context.things().insertOne(before === undefined ? { _id: 1 } : { _id: 1, n: before });
      await context.things().updateOne({ _id: 1 }, { $inc: { n: by as number } });
      expect((await stored(context.things())).n).toEqual(after);
    });
  });
}
