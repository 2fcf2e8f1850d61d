import type { Document } from "mongodb";
import { getIds, type SuiteContext, type Things } from "../context.suite.ts";

const documents = [
  { _id: 1, a: 1, b: "x" },
  { _id: 2, a: [1, 5], b: null },
  { _id: 3, a: "1" },
  {
    _id: 4,
    a: null,
    c: [
      { d: 1, e: 1 },
      { d: 2, e: 2 },
    ],
  },
  { _id: 5, a: [], c: { d: 2 } },
  { _id: 6, a: { x: 1 }, b: "xy" },
  { _id: 7, a: 5.5, c: [] },
  { _id: 8, a: [[1, 5], 7], c: [[{ d: 3 }]] },
  { _id: 9, a: { x: 1, y: 2 }, c: [{ d: [1, 3] }, 5] },
  { _id: 10, a: { y: 2, x: 1 }, b: [null], c: { d: null } },
  { _id: 11, a: [null, 3], b: undefined, c: [{ e: 1 }] },
];
const all = documents.map(({ _id }) => _id);
const allBut = (...ids: number[]): number[] => all.filter((id) => !ids.includes(id));

const cases: [Document, number[]][] = [
  [{}, all],
  [{ a: 1 }, [1, 2]],
  [{ a: { $eq: 1 } }, [1, 2]],
  [{ a: null }, [4, 11]],
  [{ b: null }, [2, 3, 4, 5, 7, 8, 9, 10, 11]],
  [{ b: { $ne: null } }, [1, 6]],
  [{ b: { $exists: true } }, [1, 2, 6, 10]],
  [{ b: { $exists: false } }, [3, 4, 5, 7, 8, 9, 11]],
  [{ b: { $exists: true, $eq: null } }, [2, 10]],
  [{ a: { $in: [null] } }, [4, 11]],
  [{ missing: null }, all],
  [{ missing: { $ne: null } }, []],
  [{ a: { $gt: 1 } }, [2, 7, 8, 11]],
  [{ a: { $gt: 1, $lt: 5 } }, [2, 11]],
  [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, [11]],
  [{ a: { $elemMatch: { $gte: 1, $lt: 5 } } }, [2, 11]],
  [{ a: { $elemMatch: { $eq: null } } }, [11]],
  [{ a: { $elemMatch: { $elemMatch: { $gt: 4 } } } }, [8]],
  [{ a: { $ne: 1 } }, allBut(1, 2)],
  [{ a: { $not: { $gt: 1 } } }, [1, 3, 4, 5, 6, 9, 10]],
  [{ a: { $not: { $gt: 1, $lt: 5 } } }, allBut(2, 11)],
  [{ a: { $in: [5, "1", { x: 1 }] } }, [2, 3, 6]],
  [{ a: { $in: [] } }, []],
  [{ a: { $in: [[], [1, 5]] } }, [2, 5, 8]],
  [{ a: [] }, [5]],
  [{ a: [1, 5] }, [2, 8]],
  [{ a: [5, 1] }, []],
  [{ a: [[1, 5], 7] }, [8]],
  [{ a: 5 }, [2]],
  [{ a: 7 }, [8]],
  [{ a: { x: 1 } }, [6]],
  [{ a: { x: 1, y: 2 } }, [9]],
  [{ a: { y: 2, x: 1 } }, [10]],
  [{ "a.x": 1 }, [6, 9, 10]],
  [{ "a.x": 1, "a.y": 2 }, [9, 10]],
  [{ "a.x": { $exists: true } }, [6, 9, 10]],
  [{ "a.0": 1 }, [2]],
  [{ "a.1": 5 }, [2]],
  [{ "a.0": [1, 5] }, [8]],
  [{ "a.0.1": 5 }, [8]],
  [{ "a.0": { $exists: true } }, [2, 8, 11]],
  [{ "a.1": { $exists: false } }, allBut(2, 8, 11)],
  [{ "c.d": 2 }, [4, 5]],
  [{ "c.d": 3 }, [9]],
  [{ "c.d": [1, 3] }, [9]],
  [{ "c.d": null }, [1, 2, 3, 6, 10, 11]],
  [{ "c.d": { $exists: false } }, [1, 2, 3, 6, 7, 8, 11]],
  [{ "c.d": { $ne: 2 } }, allBut(4, 5)],
  [{ "c.d": 1, "c.e": 2 }, [4]],
  [{ "c.1.d": 2 }, [4]],
  [{ "c.0.d": 1 }, [4, 9]],
  [{ "c.0.d.1": 3 }, [9]],
  [{ c: { $elemMatch: { d: 1, e: 2 } } }, []],
  [{ c: { $elemMatch: { d: 1, e: 1 } } }, [4]],
  [{ c: { $elemMatch: { d: 2 } } }, [4]],
  [{ c: { $elemMatch: { e: { $exists: false } } } }, [8, 9]],
  [{ c: { $not: { $elemMatch: { d: 1 } } } }, allBut(4, 9)],
  [{ c: { $elemMatch: { $or: [{ d: 2 }, { e: 1 }] } } }, [4, 11]],
  [{ $or: [{ a: 1 }, { b: "xy" }] }, [1, 2, 6]],
  [{ $or: [{ a: 1, b: "x" }, { a: { $gte: 7 } }, { _id: 3 }] }, [1, 3, 8]],
  [{ $and: [{ a: { $gte: 1 } }, { a: { $lte: 5 } }] }, [1, 2, 11]],
  [{ $and: [{ $or: [{ a: 1 }, { a: "1" }] }, { b: "x" }] }, [1]],
  [{ a: { $gte: 1, $lte: 1 } }, [1, 2]],
  [{ _id: { $in: [3, 1, 3, 99] } }, [1, 3]],
  [{ _id: { $gt: 2, $lt: 5 } }, [3, 4]],
  [{ _id: 2, a: 1 }, [2]],
  [{ _id: { $gt: 4 }, a: { $gt: 1 } }, [7, 8, 11]],
  [{ b: { $gt: "x" } }, [6]],
  [{ b: { $gte: "x", $lt: "xy" } }, [1]],
];

const indexes: Document[] = [{ a: 1 }, { a: -1, b: 1 }, { "c.d": 1, "c.e": 1 }, { b: 1, a: -1 }, { "a.x": 1, _id: -1 }];

/** Tests filters, with the same results for every index. */
export function describeQueries(context: SuiteContext): void {
  describe("queries", () => {
    const collections: [string, Things][] = [];
    beforeAll(async () => {
      for (const index of [undefined, ...indexes]) {
        const things: Things = context.database().collection(`queries${collections.length}`);
        await things.insertMany(documents, { ignoreUndefined: true });
        if (index !== undefined) await things.createIndex(index);
        collections.push([JSON.stringify(index ?? "no index"), things]);
      }
    });

    it.each(cases.map(([query, expected]) => [JSON.stringify(query), query, expected] as const))(
      "find %s",
      async (_, query, expected) => {
        for (const [index, things] of collections) {
          expect([index, await getIds(things, query)]).toEqual([index, expected]);
        }
      },
    );

    it.each(
      cases
        .slice(1, 40)
        .map(([query, expected]) => [JSON.stringify(query), query, expected] as const)
        .filter((_, at) => at % 4 === 0),
    )("count %s", async (_, query, expected) => {
      for (const [, things] of collections) expect(await things.countDocuments(query)).toBe(expected.length);
    });

    it("count with skip and limit", async () => {
      const [[, things]] = collections as [[string, Things]];
      expect(await things.countDocuments({}, { skip: 3, limit: 4 })).toBe(4);
      expect(await things.countDocuments({}, { skip: 9, limit: 4 })).toBe(2);
      expect(await things.countDocuments({ _id: 99 })).toBe(0);
    });

    it("find nothing in a collection that does not exist", async () => {
      expect(await context.things().find({ a: 1 }).toArray()).toEqual([]);
      expect(await context.things().countDocuments()).toBe(0);
      expect(await context.things().findOne({})).toBeNull();
      expect(await context.database().listCollections({ name: context.things().collectionName }).toArray()).toEqual([]);
    });

    const projections: [Document, unknown][] = [
      [{ b: 1 }, { _id: 1, b: "x" }],
      [{ _id: 0, b: 1 }, { b: "x" }],
      [{ _id: 1 }, { _id: 1 }],
      [
        { b: 0, c: 0 },
        { _id: 1, a: { d: 1, e: [{ f: 1, g: 2 }, 3, [{ f: 4, g: 5 }]] } },
      ],
      [
        { _id: 0, a: 0 },
        { b: "x", c: null },
      ],
      [{ "a.d": 1 }, { _id: 1, a: { d: 1 } }],
      [{ "_id.x": 1, b: 1 }, { b: "x" }],
      [{ "a.e.f": 1 }, { _id: 1, a: { e: [{ f: 1 }, [{ f: 4 }]] } }],
      [
        { "a.e.f": 0, b: 0, c: 0 },
        { _id: 1, a: { d: 1, e: [{ g: 2 }, 3, [{ g: 5 }]] } },
      ],
      [{ "b.x": 1, missing: 1 }, { _id: 1 }],
    ];
    it.each(projections.map(([projection, expected]) => [JSON.stringify(projection), projection, expected] as const))(
      "project %s",
      async (_, projection, expected) => {
        await context
          .things()
          .insertOne({ _id: 1, a: { d: 1, e: [{ f: 1, g: 2 }, 3, [{ f: 4, g: 5 }]] }, b: "x", c: null });
        expect(await context.things().findOne({}, { projection })).toEqual(expected);
      },
    );

    it.each(["filter", "sort"])("reject null as a %s", async (field) => {
      const command = { find: context.things().collectionName, [field]: null };
      await expect(context.database().command(command)).rejects.toMatchObject({ code: 14 });
    });

    it("count and find with pipelines", async () => {
      await context.things().insertMany([1, 2, 3, 4, 5].map((_id) => ({ _id })));
      const results = (...pipeline: Document[]): Promise<unknown[]> => context.things().aggregate(pipeline).toArray();
      const $match = { _id: { $gt: 1 } };
      expect(await results({ $group: { _id: null, n: { $sum: 1 } } })).toEqual([{ _id: null, n: 5 }]);
      expect(await results({ $match }, { $skip: 3 }, { $group: { _id: 1, n: { $sum: 1 } } })).toEqual([
        { _id: 1, n: 1 },
      ]);
      expect(await results({ $match: { _id: 99 } }, { $group: { _id: 1, n: { $sum: 1 } } })).toEqual([]);
      expect(await results({ $match }, { $sort: { _id: -1 } }, { $skip: 1 }, { $limit: 2 })).toEqual([
        { _id: 4 },
        { _id: 3 },
      ]);
    });
  });
}
