import type { Document } from "mongodb";
import type { SuiteContext } from "./context.suite.ts";

/** Unique indexes and the errors they give. */
export function describeUniqueIndexes(context: SuiteContext): void {
  describe("unique indexes", () => {
    it("tells ordered and unordered bulk errors by their place", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const rows = (): Document[] => [{ k: 1 }, { k: 1 }, { k: 2 }];
      const codes = async (ordered: boolean): Promise<unknown> =>
        context
          .things()
          .insertMany(rows(), { ordered })
          .catch((error: { writeErrors: { index: number; code: number }[] }) =>
            error.writeErrors.map(({ index, code }) => [index, code]),
          );
      expect(await codes(true)).toEqual([[1, 11000]]);
      expect(await context.things().countDocuments({})).toBe(1);
      expect(await codes(false)).toEqual([
        [0, 11000],
        [1, 11000],
      ]);
      expect(await context.things().countDocuments({})).toBe(2);
    });

    it("knows partial, sparse, compound and multikey ones", async () => {
      await context.things().createIndex({ name: 1 }, { unique: true, partialFilterExpression: { live: true } });
      await context.things().createIndex({ token: 1 }, { unique: true, sparse: true });
      await context
        .things()
        .createIndex({ "keys.id": 1 }, { unique: true, partialFilterExpression: { keys: { $exists: true } } });
      await context.things().insertMany([{ name: "a", live: false }, { name: "a", live: true }, { name: "a" }]);
      await expect(context.things().insertOne({ name: "a", live: true })).rejects.toMatchObject({ code: 11000 });
      await expect(context.things().updateMany({ live: false }, { $set: { live: true } })).rejects.toMatchObject({
        code: 11000,
      });
      await context.things().insertOne({ token: 1, keys: [{ id: 1 }, { id: 2 }, { id: 1 }] });
      await expect(context.things().insertOne({ keys: [{ id: 2 }] })).rejects.toMatchObject({ code: 11000 });
      await expect(context.things().insertOne({ token: 1 })).rejects.toMatchObject({ code: 11000 });
      expect(await context.things().countDocuments({ name: "a" })).toBe(3);
      expect(await context.things().countDocuments({ name: "a", live: true })).toBe(1);
    });

    it("lets one of racing inserts win", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => context.things().insertOne({ k: "same" })),
      );
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const result of results)
        if (result.status === "rejected") expect(result.reason).toMatchObject({ code: 11000 });
    });

    it("does not take neighbours beyond 2^53 for duplicates", async () => {
      await context.things().createIndex({ k: 1 }, { unique: true });
      const { Long } = await import("mongodb");
      await context
        .things()
        .insertMany(["9007199254740992", "9007199254740993"].map((text) => ({ k: Long.fromString(text) })));
      await expect(context.things().insertOne({ k: 9007199254740992 })).rejects.toMatchObject({ code: 11000 });
    });

    it("refuses one that the documents break, and lists what there is", async () => {
      await context.things().insertMany([{ k: 1 }, { k: 1 }]);
      await expect(context.things().createIndex({ k: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
      await context.things().createIndex({ k: 1 }, { name: "mine", expireAfterSeconds: 3600 });
      await context.things().createIndex({ k: 1 }, { name: "mine", expireAfterSeconds: 3600 });
      expect((await context.things().indexes()).map(({ name }) => name)).toEqual(["_id_", "mine"]);
      await context.things().dropIndex("mine");
      expect((await context.things().indexes()).map(({ name }) => name)).toEqual(["_id_"]);
    });
  });
}
