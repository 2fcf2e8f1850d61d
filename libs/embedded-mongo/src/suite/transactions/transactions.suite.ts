import type { ClientSession } from "mongodb";
import { getFailure, numbered, stored, within, type SuiteContext } from "../context.suite.ts";

/** Tests single transactions: all of their writes are committed or none, and others do not see them before. */
export function describeTransactions(context: SuiteContext): void {
  describe("transactions", () => {
    const begin = (session: ClientSession): void => session.startTransaction();

    it("read their own writes, which others do not see before the commit", () =>
      within(context, async (session) => {
        const things = context.things();
        await things.insertOne({ _id: "a", n: 1 });
        begin(session);
        await things.updateOne({ _id: "a" }, { $inc: { n: 1 } }, { session });
        await things.insertOne({ _id: "b", n: 5 }, { session });
        await things.insertOne({ _id: "c", n: 9 }, { session });
        await things.deleteOne({ _id: "c" }, { session });
        expect(await things.find({}, { session }).sort({ n: -1 }).toArray()).toEqual([
          { _id: "b", n: 5 },
          { _id: "a", n: 2 },
        ]);
        expect(await things.countDocuments({ n: { $gt: 1 } }, { session })).toBe(2);
        expect(await things.find().toArray()).toEqual([{ _id: "a", n: 1 }]);
        await session.commitTransaction();
        expect(await context.ids({})).toEqual(["a", "b"]);
      }));

    it("leave nothing when they are aborted", () =>
      within(context, async (session) => {
        const things = context.things();
        await things.createIndex({ k: 1 }, { unique: true });
        await things.insertMany([
          { _id: 1, k: 1 },
          { _id: 2, k: 2 },
        ]);
        begin(session);
        await things.insertOne({ _id: 3, k: 3 }, { session });
        await things.deleteOne({ _id: 1 }, { session });
        await things.updateOne({ _id: 2 }, { $set: { k: 1 } }, { session });
        await session.abortTransaction();
        expect(await things.find().sort({ _id: 1 }).toArray()).toEqual([
          { _id: 1, k: 1 },
          { _id: 2, k: 2 },
        ]);
        await things.insertOne({ k: 3 });
      }));

    it("can write several collections", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1 });
        await context.others().insertOne({ _id: 1 });
        await session.withTransaction(async () => {
          await context.things().updateOne({ _id: 1 }, { $set: { a: 1 } }, { session });
          await context.others().updateOne({ _id: 1 }, { $set: { a: 1 } }, { session });
        });
        expect([await context.things().findOne({}), await context.others().findOne({})]).toEqual([
          { _id: 1, a: 1 },
          { _id: 1, a: 1 },
        ]);
      }));

    it("read the data of their start", () =>
      within(context, async (session) => {
        const things = context.things();
        await things.createIndex({ n: 1 });
        await things.insertMany([
          { _id: 1, n: 1 },
          { _id: 2, n: 2 },
        ]);
        session.startTransaction({ readConcern: { level: "snapshot" } });
        const read = async (): Promise<unknown> =>
          (
            await things
              .find({ n: { $gt: 0 } }, { session })
              .sort({ n: 1 })
              .toArray()
          ).map(({ n }) => n as unknown);
        expect(await read()).toEqual([1, 2]);
        await things.updateOne({ _id: 1 }, { $set: { n: 9 } });
        await things.deleteOne({ _id: 2 });
        await things.insertOne({ _id: 3, n: 3 });
        expect(await read()).toEqual([1, 2]);
        expect(await things.findOne({ _id: 3 }, { session })).toBeNull();
        expect(await things.countDocuments({}, { session })).toBe(2);
        await session.commitTransaction();
        expect(await things.countDocuments()).toBe(2);
      }));

    it("read their cursors in batches", () =>
      within(context, async (session) => {
        await context.things().insertMany(Array.from({ length: 30 }, (_, _id) => ({ _id })));
        begin(session);
        const cursor = context.things().find({}, { session, batchSize: 4 });
        await cursor.next();
        await context.things().deleteMany({});
        expect(await cursor.toArray()).toHaveLength(29);
        await session.commitTransaction();
      }));

    it("are aborted by an error", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1 });
        begin(session);
        await context.things().insertOne({ _id: 2 }, { session });
        expect(await getFailure(context.things().insertOne({ _id: 1 }, { session }))).toMatchObject({ code: 11000 });
        const late = await getFailure(context.things().insertOne({ _id: 3 }, { session }));
        expect(late).toMatchObject({ code: 251, codeName: "NoSuchTransaction" });
        expect(late.hasErrorLabel("TransientTransactionError")).toBe(true);
        expect(await context.ids({})).toEqual([1]);
      }));

    it("can be committed again without an effect", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1, n: 0 });
        begin(session);
        await context.things().updateOne({}, { $inc: { n: 1 } }, { session });
        await session.commitTransaction();
        await session.commitTransaction();
        await session.commitTransaction();
        expect((await context.things().findOne({})).n).toBe(1);
      }));

    it("can be committed and aborted without operations", () =>
      within(context, async (session) => {
        begin(session);
        await session.commitTransaction();
        begin(session);
        await session.abortTransaction();
        begin(session);
        expect(await context.things().findOne({}, { session })).toBeNull();
        await session.commitTransaction();
      }));

    const begun = (txnNumber: number): object => ({ txnNumber, autocommit: false, startTransaction: true });
    const going = (txnNumber: number): object => ({ txnNumber, autocommit: false });
    const insert = (_id: number): object => ({ insert: context.things().collectionName, documents: [{ _id }] });

    it("cannot be continued, committed or aborted with an unknown number", () =>
      numbered(context, async (send) => {
        await context.things().insertOne({ _id: 0 });
        const find = { find: context.things().collectionName };
        await send({ ...insert(1), ...begun(10) });
        expect(await getFailure(send({ ...find, ...going(15) }))).toMatchObject({ code: 251 });
        expect(await getFailure(send({ commitTransaction: 1, txnNumber: 16 }))).toMatchObject({ code: 251 });
        expect(await getFailure(send({ abortTransaction: 1, txnNumber: 17 }))).toMatchObject({ code: 251 });
        expect(await getFailure(send({ ...find, ...going(9) }))).toMatchObject({ code: 225 });
        await send({ commitTransaction: 1, txnNumber: 10 });
        const committed = context.code({ real: 256, here: 251, reason: "sessions" });
        expect(await getFailure(send({ ...find, ...going(10) }))).toMatchObject({ code: committed });
        expect(await getFailure(send({ abortTransaction: 1, txnNumber: 10 }))).toMatchObject({ code: committed });
        await send({ commitTransaction: 1, txnNumber: 10 });
        expect(await context.ids({})).toEqual([0, 1]);
      }));

    it("cannot be committed after they were aborted", () =>
      numbered(context, async (send) => {
        await send({ ...insert(1), ...begun(1) });
        await send({ abortTransaction: 1, txnNumber: 1 });
        expect(await getFailure(send({ commitTransaction: 1, txnNumber: 1 }))).toMatchObject({ code: 251 });
        expect(await getFailure(send({ abortTransaction: 1, txnNumber: 1 }))).toMatchObject({ code: 251 });
        expect(await context.things().countDocuments()).toBe(0);
      }));

    it("abort the previous one of their session", () =>
      numbered(context, async (send) => {
        await send({ ...insert(1), ...begun(1) });
        await send({ ...insert(2), ...begun(2) });
        await send({ commitTransaction: 1, txnNumber: 2 });
        expect(await context.ids({})).toEqual([2]);
      }));

    it("require a number, and start only once", () =>
      numbered(context, async (send) => {
        await context.things().insertOne({ _id: 0 });
        const find = { find: context.things().collectionName };
        expect(await getFailure(send({ ...find, autocommit: false, startTransaction: true }))).toMatchObject({
          code: 72,
        });
        await send({ ...find, ...begun(1) });
        const again = context.code({ real: 117, here: 251, reason: "sessions" });
        expect(await getFailure(send({ ...find, ...begun(1) }))).toMatchObject({ code: again });
        await send({ abortTransaction: 1, txnNumber: 1 });
      }));

    it("end with their session", async () => {
      await context.things().insertOne({ _id: 1, n: 0 });
      await within(context, async (session) => {
        begin(session);
        await context.things().updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
      });
      await context.things().updateOne({ _id: 1 }, { $inc: { n: 10 } });
      expect((await context.things().findOne({})).n).toBe(10);
    });

    it("can use one session, one after the other", () =>
      within(context, async (session) => {
        for (let round = 0; round < 3; round += 1) {
          begin(session);
          await context.things().insertOne({ _id: round }, { session });
          await (round === 1 ? session.abortTransaction() : session.commitTransaction());
        }
        expect(await context.ids({})).toEqual([0, 2]);
      }));

    it("support bulk writes, upserts, and findOneAndUpdate", () =>
      within(context, async (session) => {
        await context.things().insertOne({ _id: 1, n: 1 });
        await session.withTransaction(async () => {
          await context
            .things()
            .bulkWrite(
              [
                { insertOne: { document: { _id: 2, n: 2 } } },
                { updateOne: { filter: { _id: 3 }, update: { $set: { n: 3 } }, upsert: true } },
                { deleteOne: { filter: { _id: 1 } } },
              ],
              { session },
            );
          const options = { session, returnDocument: "after" } as const;
          expect(await context.things().findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } }, options)).toEqual({
            _id: 2,
            n: 3,
          });
        });
        expect(await context.ids({ n: 3 })).toEqual([2, 3]);
      }));

    it("create a missing collection", () =>
      within(context, async (session) => {
        await session.withTransaction(() => context.things().insertOne({ _id: 1 }, { session }));
        expect(await stored(context.things())).toEqual({ _id: { $numberInt: "1" } });
      }));

    it("check unique keys against their own writes", () =>
      within(context, async (session) => {
        await context.things().createIndex({ k: 1 }, { unique: true });
        await context.things().insertOne({ _id: 1, k: 1 });
        begin(session);
        await context.things().updateOne({ _id: 1 }, { $set: { k: 2 } }, { session });
        await context.things().insertOne({ _id: 2, k: 1 }, { session });
        const failure = await getFailure(context.things().insertOne({ _id: 3, k: 2 }, { session }));
        expect(failure).toMatchObject({ code: 11000, keyValue: { k: 2 } });
      }));

    const refused: [string, (name: string) => object, number][] = [
      ["drop", (name) => ({ drop: name }), 263],
      ["listIndexes", (name) => ({ listIndexes: name }), 263],
      ["dropIndexes", (name) => ({ dropIndexes: name, index: "*" }), 263],
    ];
    it.each(refused)("reject %s", async (_, command, code) => {
      await context.things().insertOne({ _id: 1 });
      await within(context, async (session) => {
        begin(session);
        await context.things().findOne({}, { session });
        const failure = await getFailure(
          context.database().command(command(context.things().collectionName), { session }),
        );
        expect(failure).toMatchObject({ code });
      });
    });
  });
}
