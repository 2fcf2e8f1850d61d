import type { Document } from "mongodb";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** Tests several writes in one command, ordered and unordered. */
export function describeBulkWrites(context: SuiteContext): void {
  describe("bulk writes", () => {
    it.each([
      [true, [[1, 11000]], [1]],
      [
        false,
        [
          [1, 11000],
          [3, 11000],
        ],
        [1, 2, 3],
      ],
    ])("insert with ordered %s, and report the indexes of errors", async (ordered, errors, kept) => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const rows = [1, 1, 2, 1, 3].map((k) => ({ k }));
      const failure = await getFailure(context.things().insertMany(rows, { ordered }));
      expect(failure.writeErrors.map(({ index, code }: any) => [index, code])).toEqual(errors);
      expect(failure.result.insertedCount).toBe(kept.length);
      const found = await context.things().find().sort({ k: 1 }).toArray();
      expect(found.map(({ k }) => k as unknown)).toEqual(kept);
    });

    it("can mix inserts, updates, replacements, upserts and deletions, in order", async () => {
      const result = await context
        .things()
        .bulkWrite([
          { insertOne: { document: { _id: 1, a: 1 } } },
          { insertOne: { document: { _id: 2, a: 1 } } },
          { updateMany: { filter: { a: 1 }, update: { $inc: { a: 1 } } } },
          { updateOne: { filter: { _id: 3 }, update: { $set: { a: 5 } }, upsert: true } },
          { replaceOne: { filter: { _id: 2 }, replacement: { b: 1 } } },
          { deleteOne: { filter: { _id: 1 } } },
          { deleteMany: { filter: { _id: 99 } } },
        ]);
      expect(result).toMatchObject({
        insertedCount: 2,
        matchedCount: 3,
        modifiedCount: 3,
        upsertedCount: 1,
        upsertedIds: { 3: 3 },
        deletedCount: 1,
      });
      expect(await context.things().find().sort({ _id: 1 }).toArray()).toEqual([
        { _id: 2, b: 1 },
        { _id: 3, a: 5 },
      ]);
    });

    it.each([
      [true, [1]],
      [false, [1, 3]],
    ])("update with ordered %s after a failed update", async (ordered, changed) => {
      await context.things().insertMany([{ _id: 1 }, { _id: 2, n: "text" }, { _id: 3 }]);
      const updates = [1, 2, 3].map((_id) => ({ updateOne: { filter: { _id }, update: { $inc: { n: 1 } } } }));
      const failure = await getFailure(context.things().bulkWrite(updates, { ordered }));
      expect(failure.writeErrors.map(({ index, code }: any) => [index, code])).toEqual([[1, 14]]);
      expect(await context.ids({ n: 1 })).toEqual(changed);
    });

    it("report the IDs of upserts by index", async () => {
      const upserts = ["a", "b", "a"].map((k) => ({
        updateOne: { filter: { k }, update: { $setOnInsert: { _id: k } }, upsert: true },
      }));
      const result = await context.things().bulkWrite(upserts);
      expect(result.upsertedIds).toEqual({ 0: "a", 1: "b" });
      expect([result.matchedCount, result.modifiedCount]).toEqual([1, 0]);
    });

    it("insert five thousand documents", async () => {
      const rows = Array.from({ length: 5000 }, (_, _id) => ({ _id, text: "x".repeat(100) }));
      expect((await context.things().insertMany(rows)).insertedCount).toBe(5000);
      expect(await context.things().countDocuments({ _id: { $gte: 2000 } })).toBe(3000);
      expect((await context.things().deleteMany({ _id: { $lt: 4990 } })).deletedCount).toBe(4990);
    });

    it("report duplicate keys", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      await context.things().insertOne({ k: 1 });
      const failure = await getFailure(
        context.things().bulkWrite([{ insertOne: { document: { k: 1 } } }, { insertOne: { document: { k: 2 } } }], {
          ordered: false,
        }),
      );
      expect(failure.code).toBe(11000);
      expect(failure.writeErrors[0].errmsg).toContain("index: k_1 dup key: { k: 1 }");
      expect(failure.result.insertedCount).toBe(1);
    });

    it("report many long duplicate keys in one reply", async () => {
      await context.things().createIndex({ key: 1 }, { unique: true });
      const documents = Array.from({ length: 1_600 }, (_, _id) => ({ _id, key: "a".repeat(6_000) }));
      const insert = { insert: context.things().collectionName, documents, ordered: false };
      const { n, writeErrors } = await context.database().command(insert);
      expect([n, writeErrors.length]).toEqual([1, 1_599]);
      expect(writeErrors.every(({ index, code }: Document, at: number) => index === at + 1 && code === 11000)).toBe(
        true,
      );
      expect(writeErrors[0]).toMatchObject({ errmsg: expect.stringMatching(/^E11000/), keyPattern: { key: 1 } });
    });

    it("stop at the first error, even with several commands", async () => {
      await context.things().insertOne({ _id: 1 });
      const failure = await getFailure(
        context
          .things()
          .bulkWrite([
            { updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } },
            { insertOne: { document: { _id: 1 } } },
            { deleteOne: { filter: { _id: 1 } } },
          ]),
      );
      expect([failure.code, failure.writeErrors[0].index]).toEqual([11000, 1]);
      expect(await context.things().findOne({})).toEqual({ _id: 1, a: 1 });
    });

    it("write without an acknowledgement for w: 0", async () => {
      const result = await context.things().insertOne({ _id: 1 }, { writeConcern: { w: 0 } });
      expect(result.acknowledged).toBe(false);
      for (const deadline = Date.now() + 60_000; (await context.things().countDocuments()) === 0;) {
        if (Date.now() > deadline) throw new Error("nothing was written");
      }
    });
  });
}
