import type { ObjectId, Document } from "mongodb";
import type { SuiteContext } from "./context.suite.ts";

/** Update operators, upserts and replacements. */
export function describeUpdates(context: SuiteContext): void {
  describe("updates", () => {
    const start = {
      _id: 1,
      n: 1,
      s: "x",
      list: [3, 1, 2],
      items: [
        { id: 1, v: 1 },
        { id: 2, v: 2 },
      ],
    };
    const cases: [string, Document, Document, Document, Document?][] = [
      ["$set and $unset", {}, { $set: { "o.p": 1 }, $unset: { s: 1 } }, { o: { p: 1 }, s: undefined }],
      ["$inc", {}, { $inc: { n: 2, m: 1 } }, { n: 3, m: 1 }],
      ["$min and $max", {}, { $min: { n: 0 }, $max: { s: "y" } }, { n: 0, s: "y" }],
      ["$push with modifiers", {}, { $push: { list: { $each: [9, 0], $sort: -1, $slice: 3 } } }, { list: [9, 3, 2] }],
      ["$push at a place", {}, { $push: { list: { $each: [7], $position: 1 } } }, { list: [3, 7, 1, 2] }],
      ["$addToSet", {}, { $addToSet: { list: { $each: [1, 8] } } }, { list: [3, 1, 2, 8] }],
      ["$pull", {}, { $pull: { list: { $gte: 2 }, items: { id: 1 } } }, { list: [1], items: [{ id: 2, v: 2 }] }],
      [
        "positional $",
        { "items.id": 2 },
        { $set: { "items.$.v": 9 } },
        {
          items: [
            { id: 1, v: 1 },
            { id: 2, v: 9 },
          ],
        },
      ],
      [
        "$[]",
        {},
        { $inc: { "items.$[].v": 1 } },
        {
          items: [
            { id: 1, v: 2 },
            { id: 2, v: 3 },
          ],
        },
      ],
      [
        "arrayFilters",
        {},
        { $set: { "items.$[e].v": 0 } },
        {
          items: [
            { id: 1, v: 1 },
            { id: 2, v: 0 },
          ],
        },
        { arrayFilters: [{ "e.v": { $gt: 1 } }] },
      ],
    ];
    for (const [title, query, update, expected, options] of cases) {
      it(`applies ${title}`, async () => {
        await context.things().insertOne(structuredClone(start) as unknown as Document);
        await context.things().updateOne(query, update, options ?? {});
        const wanted = Object.fromEntries(
          Object.entries({ ...start, ...expected }).filter(([, value]) => value !== undefined),
        );
        expect(await context.things().findOne({})).toEqual(wanted);
      });
    }

    it("upserts from the query, and tells so", async () => {
      const result = await context
        .things()
        .updateOne(
          { name: "a", kind: { $eq: "k" }, n: { $gt: 3 } },
          { $setOnInsert: { made: 1 }, $inc: { n: 1 } },
          { upsert: true },
        );
      expect(result.upsertedCount).toBe(1);
      expect(await context.things().findOne({ _id: result.upsertedId as ObjectId })).toEqual({
        _id: result.upsertedId,
        kind: "k",
        name: "a",
        made: 1,
        n: 1,
      });
      const again = await context
        .things()
        .updateOne({ name: "a" }, { $setOnInsert: { made: 2 }, $inc: { n: 1 } }, { upsert: true });
      expect([again.upsertedCount, again.matchedCount, again.modifiedCount]).toEqual([0, 1, 1]);
    });

    it("replaces, finds and modifies, and refuses wrong updates", async () => {
      await context.things().insertOne({ _id: 1, a: 1 } as unknown as Document);
      await context.things().replaceOne({ _id: 1 } as Document, { b: 2 });
      expect(await context.things().findOne({})).toEqual({ _id: 1, b: 2 });
      expect(
        await context.things().findOneAndUpdate({ b: 2 }, { $inc: { b: 1 } }, { returnDocument: "after" }),
      ).toEqual({
        _id: 1,
        b: 3,
      });
      await expect(context.things().updateOne({}, { $set: { _id: 2 } })).rejects.toMatchObject({ code: 66 });
      await expect(context.things().updateOne({}, { $push: { b: 1 } } as Document)).rejects.toMatchObject({ code: 2 });
      await expect(context.things().updateOne({}, { $inc: { b: 1 }, $set: { "b.c": 1 } })).rejects.toMatchObject({
        code: 40,
      });
      await expect(context.things().updateOne({}, { $set: { "b.c": 1 } })).rejects.toMatchObject({ code: 28 });
      expect(await context.things().findOneAndDelete({ b: 3 })).toEqual({ _id: 1, b: 3 });
      expect(await context.things().findOneAndDelete({ b: 3 })).toBeNull();
    });

    it("adds exactly once when guarded pushes race", async () => {
      await context.things().insertOne({ _id: "list", routes: [] } as unknown as Document);
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          context.things().updateOne(
            {
              _id: "list",
              routes: { $not: { $elemMatch: { target: at % 2 } } },
              "routes.4": { $exists: false },
            } as unknown as Document,
            { $push: { routes: { target: at % 2, at } } } as Document,
          ),
        ),
      );
      expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(2);
      expect((await context.things().findOne({}))?.["routes"]).toHaveLength(2);
    });
  });
}
