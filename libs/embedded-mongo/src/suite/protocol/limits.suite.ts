import { getFailure, generalized, type SuiteContext } from "../context.suite.ts";

const limit = 16 * 1024 * 1024;
/** The size of `{ _id: 1, bytes: … }` without its bytes. */
const frame = 26;

/** Tests the limits of documents. */
export function describeLimits(context: SuiteContext): void {
  describe("documents at the size limits", () => {
    it("are stored up to exactly 16 MB", async () => {
      const bytes = Buffer.alloc(limit - frame, 7);
      await context.things().insertOne({ _id: 1, bytes });
      const found = await context.things().findOne({}, { promoteBuffers: true });
      expect(found.bytes.equals(bytes)).toBe(true);
      await context.things().updateOne({ _id: 1 }, { $unset: { bytes: 1 }, $set: { small: true } });
      expect(await context.things().findOne({})).toEqual({ _id: 1, small: true });
    });

    it("are rejected one byte beyond 16 MB, even if the driver does not check", async () => {
      await context.things().insertOne({ _id: 0 });
      const documents = [{ _id: 1, bytes: Buffer.alloc(limit - frame + 1) }];
      const outcome: any = await context
        .database()
        .command({ insert: context.things().collectionName, documents })
        .catch((error: unknown) => error);
      expect([10334, 2]).toContain(outcome.writeErrors?.[0]?.code ?? outcome.code);
      expect(await context.ids({})).toEqual([0]);
    });

    it("cannot grow beyond 16 MB", async () => {
      await context.things().insertOne({ _id: 1, bytes: Buffer.alloc(limit - 500_000) });
      const update: object = { $push: { list: Buffer.alloc(1_000_000) } };
      expect([10334, 17419]).toContain((await getFailure(context.things().updateOne({ _id: 1 }, update))).code);
      expect(Object.keys(await context.things().findOne({}))).toEqual(["_id", "bytes"]);
    });

    it.each([
      { name: "updates", change: (set: object) => context.things().updateOne({ _id: 1 }, { $set: set }) },
      { name: "findAndModify", change: (set: object) => context.things().findOneAndUpdate({ _id: 1 }, { $set: set }) },
    ])("cannot grow to much more than 16 MB: $name", async ({ change }) => {
      const text = "a".repeat(limit / 2);
      await context.things().insertOne({ _id: 1, text });
      const failure = await getFailure(change({ more: text, yet: "a".repeat(limit / 2 - 1_000), end: 1 }));
      expect([10334, 17419]).toContain(failure.code);
      expect(Object.keys(await context.things().findOne({}))).toEqual(["_id", "text"]);
    });

    it("are inserted in several messages by the driver", async () => {
      const rows = Array.from({ length: 4 }, (_, _id) => ({ _id, bytes: Buffer.alloc(12_500_000, _id) }));
      expect((await context.things().insertMany(rows)).insertedCount).toBe(4);
      expect(await context.ids({})).toEqual([0, 1, 2, 3]);
    });

    const nested = (levels: number): object => {
      let deep: object = {};
      for (let depth = 0; depth < levels; depth += 1) deep = { a: deep };
      return deep;
    };
    it("are stored with up to 180 nested levels, and rejected with more", async () => {
      await context.things().insertOne({ _id: 1, deep: nested(179), scalar: 1 });
      expect((await context.things().findOne({})).deep).toEqual(nested(179));
      expect(await getFailure(context.things().insertOne({ deep: nested(180) }))).toMatchObject({ code: 15 });
      const deeper = { $set: { "deep.a.b": nested(179) } };
      expect(await getFailure(context.things().updateOne({}, deeper))).toMatchObject({ code: 15 });
      await getFailure(context.things().insertOne({ deep: nested(400) }));
      expect(await context.ids({})).toEqual([1]);
    });

    it("cannot be sorted or indexed by paths that are too long for any document", async () => {
      await context.things().insertOne({ _id: 1 });
      const path = Array.from({ length: 20_000 }, () => "a").join(".");
      expect(
        await getFailure(
          context
            .things()
            .find()
            .sort({ [path]: 1 })
            .toArray(),
        ),
      ).toMatchObject({ code: 15 });
      const indexing = context.things().createIndex({ [path]: 1 }, { name: "deep" });
      expect(await getFailure(indexing)).toMatchObject({ code: context.code(generalized(67, 15)) });
    });

    it("can have many thousands of fields, elements and characters", async () => {
      const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`field${at}`, at]));
      const list = Array.from({ length: 20_000 }, (_, at) => at);
      await context.things().insertOne({ _id: 1, fields, list, text: "ä".repeat(100_000) });
      await context.things().updateOne({ _id: 1 }, { $push: { list: -1 }, $inc: { "fields.field7": 1 } } as any);
      const found = await context.things().findOne({ list: 19_999 });
      expect([found.list.length, found.list.at(-1), found.fields.field7, found.text.length]).toEqual([
        20_001, -1, 8, 100_000,
      ]);
    });
  });
}
