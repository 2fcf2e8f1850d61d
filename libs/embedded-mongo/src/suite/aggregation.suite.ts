import type { Document } from "mongodb";
import type { SuiteContext } from "./context.suite.ts";

/** Pipelines, counts, and lists of collections. */
export function describeAggregation(context: SuiteContext): void {
  describe("aggregation, counts and lists", () => {
    it("groups and counts", async () => {
      await context.things().insertMany([
        { _id: 1, kind: "a", n: 1, tags: ["x", "y"] },
        { _id: 2, kind: "b", n: 2, tags: [] },
        { _id: 3, kind: "a", n: 3.5, tags: ["x"] },
      ] as unknown as Document[]);
      const run = (pipeline: Document[]): Promise<Document[]> => context.things().aggregate(pipeline).toArray();
      expect(
        await run([
          {
            $group: {
              _id: "$kind",
              sum: { $sum: "$n" },
              count: { $sum: 1 },
            },
          },
          { $sort: { _id: 1 } },
        ]),
      ).toEqual([
        { _id: "a", sum: 4.5, count: 2 },
        { _id: "b", sum: 2, count: 1 },
      ]);
      expect(await run([{ $match: { kind: "a" } }, { $count: "n" }])).toEqual([{ n: 2 }]);
      expect(await run([{ $sort: { n: -1 } }, { $limit: 2 }, { $group: { _id: null, n: { $sum: "$n" } } }])).toEqual([
        { _id: null, n: 5.5 },
      ]);
      expect(await context.things().countDocuments({ kind: "a" })).toBe(2);
      expect(await context.things().estimatedDocumentCount()).toBe(3);
      expect(await context.things().distinct("tags")).toEqual(["x", "y"]);
    });

    it("lists and drops collections and databases", async () => {
      const database = context.client().db(`lists-${context.count()}`);
      await database.createCollection("one");
      await database.collection("two").insertOne({});
      expect((await database.listCollections().toArray()).map(({ name: each }) => each).sort()).toEqual(["one", "two"]);
      await expect(database.createCollection("two")).rejects.toMatchObject({ code: 48 });
      await database.collection("one").drop();
      expect((await database.listCollections({}, { nameOnly: true }).toArray()).map(({ name: each }) => each)).toEqual([
        "two",
      ]);
      await database.dropDatabase();
      expect(
        (await context.client().db("admin").admin().listDatabases()).databases.map(({ name: each }) => each),
      ).not.toContain(database.databaseName);
    });
  });
}
