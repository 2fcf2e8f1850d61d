import type { Document } from "mongodb";
import type { SuiteContext } from "./context.suite.ts";

/** Transactions: isolation, conflicts, snapshots. */
export function describeTransactions(context: SuiteContext): void {
  describe("transactions", () => {
    it("commits all or nothing, and shows others nothing before", async () => {
      await context.things().insertOne({ _id: "a", n: 1 } as unknown as Document);
      const session = context.client().startSession();
      session.startTransaction();
      await context.things().updateOne({ _id: "a" } as Document, { $inc: { n: 1 } }, { session });
      await context.things().insertOne({ _id: "b", n: 5 } as unknown as Document, { session });
      expect(await context.things().find({}, { session }).sort({ n: -1 }).toArray()).toEqual([
        { _id: "b", n: 5 },
        { _id: "a", n: 2 },
      ]);
      expect(await context.things().find({}).toArray()).toEqual([{ _id: "a", n: 1 }]);
      await session.abortTransaction();
      expect(await context.things().find({}).toArray()).toEqual([{ _id: "a", n: 1 }]);
      await session.withTransaction(async () => {
        await context.things().updateOne({ _id: "a" } as Document, { $inc: { n: 1 } }, { session });
        await context.things().insertOne({ _id: "b", n: 5 } as unknown as Document, { session });
      });
      expect(await context.ids({})).toEqual(["a", "b"]);
      await session.endSession();
    });

    it("reads from its snapshot", async () => {
      await context.things().insertMany([
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ] as unknown as Document[]);
      await context.things().createIndex({ n: 1 });
      const session = context.client().startSession();
      session.startTransaction({ readConcern: { level: "snapshot" } });
      const read = async (): Promise<unknown> =>
        (
          await context
            .things()
            .find({ n: { $gt: 0 } }, { session })
            .sort({ n: 1 })
            .toArray()
        ).map(({ n }) => n as unknown);
      expect(await read()).toEqual([1, 2]);
      await context.things().updateOne({ _id: 1 } as unknown as Document, { $set: { n: 9 } });
      await context.things().deleteOne({ _id: 2 } as unknown as Document);
      await context.things().insertOne({ _id: 3, n: 3 } as unknown as Document);
      expect(await read()).toEqual([1, 2]);
      expect(await context.things().countDocuments({}, { session })).toBe(2);
      await expect(
        context.things().updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session }),
      ).rejects.toMatchObject({ code: 112 });
      await session.endSession();
    });

    it("gives the second of two writers a conflict to run again", async () => {
      await context.things().insertOne({ _id: 1, n: 0 } as unknown as Document);
      const [first, second] = [context.client().startSession(), context.client().startSession()];
      first.startTransaction();
      second.startTransaction();
      await context.things().updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session: first });
      const conflict = await context
        .things()
        .updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session: second })
        .catch((error: unknown) => error);
      expect(conflict).toMatchObject({ code: 112 });
      expect((conflict as { hasErrorLabel(label: string): boolean }).hasErrorLabel("TransientTransactionError")).toBe(
        true,
      );
      await first.commitTransaction();
      await Promise.all([first.endSession(), second.endSession()]);
      expect((await context.things().findOne({}))?.["n"]).toBe(1);
    });

    it("lets a write outside wait for it", async () => {
      await context.things().insertOne({ _id: 1, n: 0 } as unknown as Document);
      const session = context.client().startSession();
      session.startTransaction();
      await context.things().updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 1 } }, { session });
      let finished = false;
      const outside = context
        .things()
        .updateOne({ _id: 1 } as unknown as Document, { $inc: { n: 10 } })
        .then(() => (finished = true));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(finished).toBe(false);
      await session.commitTransaction();
      await outside;
      expect((await context.things().findOne({}))?.["n"]).toBe(11);
      await session.endSession();
    });

    it("lets one of two take a unique key", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, async (_, at) => {
          const session = context.client().startSession();
          try {
            await session.withTransaction(async () => {
              await context.things().insertOne({ k: "one", at }, { session });
              await context.things().insertOne({ k: `own-${at}` }, { session });
            });
            return "won";
          } catch (error) {
            return (error as { code?: number }).code;
          } finally {
            await session.endSession();
          }
        }),
      );
      expect(outcomes.filter((each) => each === "won")).toHaveLength(1);
      expect(outcomes.filter((each) => each === 11000)).toHaveLength(5);
      expect(await context.things().countDocuments({})).toBe(2);
    });

    it("is over after an error in it", async () => {
      await context.things().insertOne({ _id: 1 } as unknown as Document);
      const session = context.client().startSession();
      session.startTransaction();
      await context.things().insertOne({ _id: 2 } as unknown as Document, { session });
      await expect(context.things().insertOne({ _id: 1 } as unknown as Document, { session })).rejects.toMatchObject({
        code: 11000,
      });
      await expect(context.things().insertOne({ _id: 3 } as unknown as Document, { session })).rejects.toMatchObject({
        code: 251,
      });
      await session.endSession();
      expect(await context.ids({})).toEqual([1]);
    });
  });
}
