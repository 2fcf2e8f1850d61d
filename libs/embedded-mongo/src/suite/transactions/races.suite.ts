import type { SuiteContext } from "../context.suite.ts";

/** Tests the guarantees of concurrent single writes. */
export function describeRaces(context: SuiteContext): void {
  describe("concurrent writes", () => {
    const atOnce = <Value>(count: number, run: (at: number) => Promise<Value>): Promise<Value[]> =>
      Promise.all(Array.from({ length: count }, (_, at) => run(at)));

    it("lose no increment", async () => {
      await context.things().insertOne({ _id: 1, n: 0 });
      await atOnce(100, () => context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }));
      expect((await context.things().findOne({})).n).toBe(100);
    });

    it("push exactly once with a condition", async () => {
      await context.things().insertOne({ _id: 1, list: [] });
      const results = await atOnce(60, (at) =>
        context.things().updateOne({ _id: 1, list: { $ne: at % 20 } }, { $push: { list: at % 20 } } as any),
      );
      expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(20);
      const { list } = await context.things().findOne({});
      expect([...list].sort((left, right) => left - right)).toEqual(Array.from({ length: 20 }, (_, at) => at));
    });

    it("push no more elements than conditions with $elemMatch and an array index allow", async () => {
      await context.things().insertOne({ _id: 1, routes: [] });
      const results = await atOnce(40, (at) =>
        context
          .things()
          .updateOne({ _id: 1, routes: { $not: { $elemMatch: { target: at % 8 } } }, "routes.4": { $exists: false } }, {
            $push: { routes: { target: at % 8 } },
          } as any),
      );
      expect(results.filter(({ modifiedCount }) => modifiedCount === 1)).toHaveLength(5);
      expect(new Set((await context.things().findOne({})).routes.map(({ target }: any) => target)).size).toBe(5);
    });

    it("give a lease to only one", async () => {
      await context.things().insertOne({ _id: "lease", until: 0 });
      const holders = await atOnce(20, (at) =>
        context
          .things()
          .findOneAndUpdate(
            { _id: "lease", until: { $lt: 5 } },
            { $set: { until: 9, by: at } },
            { returnDocument: "after" },
          ),
      );
      const [winner, ...others] = holders.filter((holder) => holder !== null);
      expect(others).toEqual([]);
      expect(await context.things().findOne({})).toEqual(winner);
    });

    it("assign numbers without gaps and duplicates", async () => {
      const numbers = await atOnce(25, async () => {
        const options = { upsert: true, returnDocument: "after" } as const;
        return (await context.things().findOneAndUpdate({ _id: "counter" }, { $inc: { n: 1 } }, options)).n as number;
      });
      expect(numbers.sort((left, right) => left - right)).toEqual(Array.from({ length: 25 }, (_, at) => at + 1));
    });

    it("insert a unique key once", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const codes = await atOnce(20, () =>
        context
          .things()
          .insertOne({ k: "same" })
          .then(
            () => 0,
            ({ code }: { code: number }) => code,
          ),
      );
      expect(codes.sort((left, right) => left - right)).toEqual([0, ...Array.from({ length: 19 }, () => 11000)]);
    });

    it("upsert a unique key once, and otherwise update it", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await atOnce(20, () => context.things().updateOne({ k: "same" }, { $inc: { n: 1 } }, { upsert: true }));
      expect(
        await context
          .things()
          .find({}, { projection: { _id: 0 } })
          .toArray(),
      ).toEqual([{ k: "same", n: 20 }]);
    });

    it("take each document of a queue once", async () => {
      await context.things().insertMany(Array.from({ length: 30 }, (_, _id) => ({ _id, state: "new" })));
      const taken = await atOnce(40, () =>
        context.things().findOneAndUpdate({ state: "new" }, { $set: { state: "taken" } }, { sort: { _id: 1 } }),
      );
      const ids = taken.flatMap((each) => (each === null ? [] : [each._id as number]));
      expect(ids.sort((left, right) => left - right)).toEqual(Array.from({ length: 30 }, (_, at) => at));
    });

    it("delete each document once", async () => {
      await context.things().insertMany(Array.from({ length: 20 }, (_, _id) => ({ _id })));
      const results = await atOnce(40, (at) => context.things().deleteOne({ _id: at % 20 }));
      expect(results.reduce((sum, { deletedCount }) => sum + deletedCount, 0)).toBe(20);
    });

    it("change a document only from the version that they read", async () => {
      await context.things().insertOne({ _id: 1, version: 0, sum: 0 });
      await atOnce(8, async () => {
        for (;;) {
          const { version, sum } = await context.things().findOne({ _id: 1 });
          const change = { $set: { sum: sum + 1 }, $inc: { version: 1 } };
          if ((await context.things().updateOne({ _id: 1, version }, change)).modifiedCount === 1) return;
        }
      });
      expect(await context.things().findOne({})).toEqual({ _id: 1, version: 8, sum: 8 });
    });
  });
}
