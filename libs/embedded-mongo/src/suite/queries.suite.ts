import { ObjectId, type Document } from "mongodb";
import type { SuiteContext } from "./context.suite.ts";

/** Filters, sorts, pages and projections, with and without indexes. */
export function describeQueries(context: SuiteContext): void {
  describe("queries", () => {
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
    ];
    const cases: [Document, number[]][] = [
      [{ a: 1 }, [1, 2]],
      [{ a: null }, [4]],
      [{ b: null }, [2, 3, 4, 5, 7]],
      [{ b: { $exists: true } }, [1, 2, 6]],
      [{ a: { $gt: 1 } }, [2, 7]],
      [{ a: { $gt: 1, $lt: 5 } }, [2]],
      [{ a: { $elemMatch: { $gt: 1, $lt: 5 } } }, []],
      [{ a: { $ne: 1 } }, [3, 4, 5, 6, 7]],
      [{ a: { $in: [5, "1", { x: 1 }] } }, [2, 3, 6]],
      [{ a: { $nin: [null, 1] } }, [3, 5, 6, 7]],
      [{ a: [] }, [5]],
      [{ a: { $size: 2 } }, [2]],
      [{ a: { $all: [1, 5] } }, [2]],
      [{ "c.d": 2 }, [4, 5]],
      [{ "c.d": 1, "c.e": 2 }, [4]],
      [{ c: { $elemMatch: { d: 1, e: 2 } } }, []],
      [{ c: { $not: { $elemMatch: { d: 1 } } } }, [1, 2, 3, 5, 6, 7]],
      [{ "c.1.d": 2 }, [4]],
      [{ $or: [{ a: 1 }, { b: "xy" }] }, [1, 2, 6]],
      [{ $nor: [{ a: { $exists: true } }] }, []],
      [{ $and: [{ a: { $gte: 1 } }, { a: { $lte: 5 } }] }, [1, 2]],
      [{ "a.x": { $exists: true } }, [6]],
    ];
    for (const index of [undefined, { a: 1 }, { a: -1, b: 1 }, { "c.d": 1, "c.e": 1 }, { b: 1, a: -1 }] as Document[]) {
      it(`finds the same ${index === undefined ? "without an index" : `with ${JSON.stringify(index)}`}`, async () => {
        await context.things().insertMany(documents as unknown as Document[]);
        if (index !== undefined) await context.things().createIndex(index);
        for (const [query, expected] of cases) expect([query, await context.ids(query)]).toEqual([query, expected]);
      });
    }

    it("sorts values of mixed kinds in MongoDB's order, both ways", async () => {
      const values = [
        null,
        -1,
        1.5,
        2,
        "A",
        "a",
        "\uFFFD",
        "\u{1F600}",
        { a: 1 },
        new ObjectId(),
        false,
        true,
        new Date(0),
      ];
      await context
        .things()
        .insertMany(
          [...values].reverse().map((value, at) => ({ _id: values.length - 1 - at, value })) as unknown as Document[],
        );
      const order = values.map((_, at) => at);
      expect(await context.ids({}, { value: 1 })).toEqual(order);
      await context.things().createIndex({ value: 1 });
      expect(await context.ids({}, { value: 1 })).toEqual(order);
      expect(await context.ids({}, { value: -1 })).toEqual([...order].reverse());
    });

    it("pages with sort, skip, limit and a cursor", async () => {
      await context
        .things()
        .insertMany(Array.from({ length: 1000 }, (_, at) => ({ _id: at, group: at % 3 })) as unknown as Document[]);
      await context.things().createIndex({ group: 1, _id: -1 });
      const page = await context.things().find({ group: 1 }).sort({ _id: -1 }).skip(2).limit(3).toArray();
      expect(page.map(({ _id }) => _id as unknown)).toEqual([991, 988, 985]);
      expect(await context.things().find({}, { batchSize: 7 }).toArray()).toHaveLength(1000);
      const after = { group: 1, $or: [{ group: { $gt: 1 } }, { group: 1, _id: { $lt: 10 } }] };
      expect(await context.ids(after, { _id: -1 })).toEqual([7, 4, 1]);
    });

    it("projects by inclusion and exclusion", async () => {
      await context.things().insertOne({ _id: 1, a: { b: 1, c: 2 }, d: [{ e: 1, f: 2 }, 3] } as unknown as Document);
      const project = async (projection: Document): Promise<unknown> => context.things().findOne({}, { projection });
      expect(await project({ "a.b": 1 })).toEqual({ _id: 1, a: { b: 1 } });
      expect(await project({ "d.e": 1, _id: 0 })).toEqual({ d: [{ e: 1 }] });
      expect(await project({ "d.e": 0, a: 0 })).toEqual({ _id: 1, d: [{ f: 2 }, 3] });
      expect(await project({ _id: 0, a: { c: 1 } })).toEqual({ a: { c: 2 } });
    });
  });
}
