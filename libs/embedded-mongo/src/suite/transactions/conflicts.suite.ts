import type { ClientSession } from "mongodb";
import { getFailure, within, type SuiteContext } from "../context.suite.ts";

/** Tests concurrent transactions. */
export function describeConflicts(context: SuiteContext): void {
  describe("concurrent transactions", () => {
    const two = (run: (first: ClientSession, second: ClientSession) => Promise<void>): Promise<void> =>
      within(context, (first) =>
        within(context, async (second) => {
          first.startTransaction();
          second.startTransaction();
          await run(first, second);
        }),
      );
    const isTransient = (error: any): unknown => [error.code, error.hasErrorLabel("TransientTransactionError")];
    const conflict = [112, true];

    it("report a transient conflict to the second writer of a document", () =>
      two(async (first, second) => {
        await context.things().insertOne({ _id: 1, n: 0 });
        await context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: first });
        const failure = await getFailure(
          context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: second }),
        );
        expect(isTransient(failure)).toEqual(conflict);
        expect(await getFailure(second.commitTransaction())).toMatchObject({ code: 251 });
        await first.commitTransaction();
        expect((await context.things().findOne({})).n).toBe(1);
      }));

    it("report a conflict even if the first writer has committed", () =>
      two(async (first, second) => {
        await context.things().insertOne({ _id: 1, n: 0 });
        expect((await context.things().findOne({}, { session: second })).n).toBe(0);
        await context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: first });
        await first.commitTransaction();
        const failure = await getFailure(
          context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: second }),
        );
        expect(isTransient(failure)).toEqual(conflict);
      }));

    it("report a conflict for deletions and changes of a document that was written", () =>
      two(async (first, second) => {
        await context.things().insertMany([{ _id: 1 }, { _id: 2 }]);
        await context.things().updateOne({ _id: 1 }, { $set: { n: 1 } }, { session: first });
        expect(isTransient(await getFailure(context.things().deleteOne({ _id: 1 }, { session: second })))).toEqual(
          conflict,
        );
        await first.commitTransaction();
        await within(context, async (third) => {
          third.startTransaction();
          await context.things().findOne({}, { session: third });
          await context.things().deleteOne({ _id: 2 });
          const failure = await getFailure(
            context.things().findOneAndUpdate({ _id: 2 }, { $set: { n: 1 } }, { session: third }),
          );
          expect(isTransient(failure)).toEqual(conflict);
        });
      }));

    it("report a conflict to the second insert of a unique key", () =>
      two(async (first, second) => {
        await context.things().createIndex({ k: 1 }, { unique: true });
        await context.things().insertOne({ _id: 1, k: 1 }, { session: first });
        const failure = await getFailure(context.things().insertOne({ _id: 2, k: 1 }, { session: second }));
        expect(isTransient(failure)).toEqual(conflict);
        await first.commitTransaction();
        expect(await context.ids({})).toEqual([1]);
      }));

    it("report a conflict over a unique key that another one added and removed", () =>
      two(async (first, second) => {
        await context.things().insertOne({ _id: 1 });
        expect(await context.things().countDocuments({}, { session: second })).toBe(1);
        await context.things().insertOne({ _id: 2 }, { session: first });
        await context.things().deleteOne({ _id: 2 }, { session: first });
        await first.commitTransaction();
        const failure = await getFailure(context.things().insertOne({ _id: 2 }, { session: second }));
        expect(isTransient(failure)).toEqual(conflict);
      }));

    it("do not conflict over different documents", () =>
      two(async (first, second) => {
        await context.things().insertMany([
          { _id: 1, n: 0 },
          { _id: 2, n: 0 },
        ]);
        await context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: first });
        await context.things().updateOne({ _id: 2 }, { $inc: { n: 1 } }, { session: second });
        await context.things().insertOne({ _id: 3 }, { session: first });
        await context.things().insertOne({ _id: 4 }, { session: second });
        await second.commitTransaction();
        await first.commitTransaction();
        expect(await context.ids({})).toEqual([1, 2, 3, 4]);
      }));

    it("can read documents that another one changes", () =>
      two(async (first, second) => {
        await context.things().insertMany([
          { _id: 1, on: true },
          { _id: 2, on: true },
        ]);
        for (const session of [first, second]) {
          expect(await context.things().countDocuments({ on: true }, { session })).toBe(2);
        }
        await context.things().updateOne({ _id: 1 }, { $set: { on: false } }, { session: first });
        await context.things().updateOne({ _id: 2 }, { $set: { on: false } }, { session: second });
        await first.commitTransaction();
        await second.commitTransaction();
        expect(await context.things().countDocuments({ on: true })).toBe(0);
      }));

    it("make other writes wait until they end", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1, n: 0 });
        session.startTransaction();
        await context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
        let finished = false;
        const outside = context
          .things()
          .updateOne({ _id: 1 }, { $inc: { n: 10 } })
          .then(() => (finished = true));
        await new Promise((resolve) => setTimeout(resolve, 100));
        expect(finished).toBe(false);
        expect((await context.things().findOne({})).n).toBe(0);
        await session.commitTransaction();
        await outside;
        expect((await context.things().findOne({})).n).toBe(11);
      }));

    it("make other writes wait at most for their maxTimeMS", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1, n: 0 });
        session.startTransaction();
        await context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
        const late = context.things().findOneAndUpdate({ _id: 1 }, { $inc: { n: 10 } }, { maxTimeMS: 150 });
        expect(await getFailure(late)).toMatchObject({ code: 50 });
        await session.commitTransaction();
        expect((await context.things().findOne({})).n).toBe(1);
      }));

    it("are seen by other writes that waited, which query again", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1, state: "open" });
        session.startTransaction();
        await context.things().updateOne({ _id: 1 }, { $set: { state: "taken" } }, { session });
        const outside = context.things().updateOne({ _id: 1, state: "open" }, { $set: { state: "mine" } });
        await new Promise((resolve) => setTimeout(resolve, 50));
        await session.commitTransaction();
        expect((await outside).modifiedCount).toBe(0);
        expect((await context.things().findOne({})).state).toBe("taken");
      }));

    it("lose no increment when they are retried", async () => {
      await context.things().insertOne({ _id: "sum", n: 0 });
      await Promise.all(
        Array.from({ length: 6 }, () =>
          within(context, async (session) => {
            for (let round = 0; round < 4; round += 1) {
              await session.withTransaction(async () => {
                const { n } = await context.things().findOne({ _id: "sum" }, { session });
                await context.things().updateOne({ _id: "sum" }, { $set: { n: n + 1 } }, { session });
                await context.things().insertOne({ at: n }, { session });
              });
            }
          }),
        ),
      );
      expect((await context.things().findOne({ _id: "sum" })).n).toBe(24);
      const rows = await context
        .things()
        .find({ at: { $exists: true } })
        .sort({ at: 1 })
        .toArray();
      expect(rows.map(({ at }) => at as unknown)).toEqual(Array.from({ length: 24 }, (_, at) => at));
    });

    it("let one of six insert a unique key, and report a duplicate to the others", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const outcomes = await Promise.all(
        Array.from({ length: 6 }, (_, at) =>
          within(context, async (session) => {
            await session.withTransaction(async () => {
              await context.things().insertOne({ k: "one", at }, { session });
              await context.things().insertOne({ k: `own-${at}` }, { session });
            });
            return "won";
          }).catch((error: { code?: number }) => error.code),
        ),
      );
      expect(outcomes.sort()).toEqual([11000, 11000, 11000, 11000, 11000, "won"]);
      expect(await context.things().countDocuments()).toBe(2);
    });

    it("transfer amounts without losing any", async () => {
      await context.things().insertMany(Array.from({ length: 4 }, (_, _id) => ({ _id, amount: 100 })));
      const moves = Array.from({ length: 20 }, (_, at) => [at % 4, (at * 3 + 1) % 4, at] as const);
      await Promise.all(
        moves.map(([from, to, amount]) =>
          within(context, (session) =>
            session.withTransaction(async () => {
              const things = context.things();
              const moved = await things.updateOne(
                { _id: from, amount: { $gte: amount } },
                { $inc: { amount: -amount } },
                { session },
              );
              if (moved.modifiedCount === 1) await things.updateOne({ _id: to }, { $inc: { amount } }, { session });
            }),
          ),
        ),
      );
      const amounts = (await context.things().find().toArray()).map(({ amount }) => amount as number);
      expect(amounts.reduce((sum, amount) => sum + amount)).toBe(400);
    });

    it("are aborted when their client disconnects", async () => {
      await context.things().insertOne({ _id: 1, n: 0 });
      const name = context.things().collectionName;
      const { MongoClient } = await import("mongodb");
      const other = await new MongoClient(context.uri()).connect();
      const session = other.startSession();
      session.startTransaction();
      const theirs = other.db(context.database().databaseName).collection(name);
      await theirs.updateOne({}, { $inc: { n: 1 } }, { session });
      await other.close();
      const increment = () => context.things().findOneAndUpdate({ _id: 1 }, { $inc: { n: 10 } }, { maxTimeMS: 500 });
      await expect.poll(increment).not.toBeNull();
      expect((await context.things().findOne({})).n).toBe(10);
    });
  });
}
