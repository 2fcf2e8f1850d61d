import { Long, type Document } from "mongodb";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** Tests results in batches. */
export function describeCursors(context: SuiteContext): void {
  describe("cursors", () => {
    const name = (): string => context.things().collectionName;
    const fill = (length: number): Promise<unknown> =>
      context.things().insertMany(Array.from({ length }, (_, _id) => ({ _id })));
    const run = async (command: Document): Promise<{ id: Long; ids: unknown[] }> => {
      const { cursor } = (await context.database().command(command, { promoteLongs: false })) as any;
      const batch: Document[] = cursor.firstBatch ?? cursor.nextBatch;
      return { id: cursor.id, ids: batch.map(({ _id }) => Number(_id)) };
    };
    const find = (options: Document): ReturnType<typeof run> => run({ find: name(), sort: { _id: 1 }, ...options });
    const more = (id: Long, options: Document = {}): ReturnType<typeof run> =>
      run({ getMore: id, collection: name(), ...options });
    /** Returns the sizes of all batches. */
    const sizes = async (options: Document, batchSize?: number): Promise<number[]> => {
      const found: number[] = [];
      for (let part = await find(options); ; part = await more(part.id, batchSize === undefined ? {} : { batchSize })) {
        found.push(part.ids.length);
        if (part.id.isZero()) return found;
      }
    };

    const batches: [string, Document, number | undefined, number[]][] = [
      ["101 first, and then the rest", {}, undefined, [101, 149]],
      ["batches of the requested size", { batchSize: 100 }, 100, [100, 100, 50]],
      ["the rest after a small first batch", { batchSize: 2 }, undefined, [2, 248]],
      ["an empty first batch, if requested", { batchSize: 0 }, undefined, [0, 250]],
      ["documents up to a limit in several batches", { limit: 5, batchSize: 2 }, 2, [2, 2, 1]],
      ["documents up to a limit in the first batch", { limit: 5 }, undefined, [5]],
      ["documents up to a limit that equals the batch size", { limit: 5, batchSize: 5 }, 5, [5]],
      ["documents up to a limit beyond the last one", { limit: 300, batchSize: 200 }, 200, [200, 50]],
      ["a single batch, if requested", { singleBatch: true, batchSize: 3 }, undefined, [3]],
      ["documents after a skip", { skip: 240, batchSize: 6 }, 6, [6, 4]],
      ["nothing after a skip beyond the last document", { skip: 250 }, undefined, [0]],
      ["nothing if nothing is found", { filter: { _id: -1 } }, undefined, [0]],
    ];
    it.each(batches)("return %s", async (_, options, batchSize, expected) => {
      await fill(250);
      expect(await sizes(options, batchSize)).toEqual(expected);
    });

    it("are read completely by the driver for any batch size", async () => {
      await fill(500);
      for (const batchSize of [1, 7, 499, 500, 501]) {
        const found = await context.things().find({}, { batchSize }).sort({ _id: -1 }).toArray();
        expect([found.length, found[0]?._id, found.at(-1)?._id]).toEqual([500, 499, 0]);
      }
    });

    it("are closed by the driver", async () => {
      await fill(10);
      const cursor = context.things().find({}, { batchSize: 2 });
      await cursor.next();
      const id = cursor.id as Long;
      await cursor.close();
      expect(await getFailure(more(Long.fromValue(id)))).toMatchObject({ code: 43 });
    });

    it("are not found if they are exhausted, killed, or were never opened", async () => {
      await fill(10);
      const { id } = await find({ batchSize: 2 });
      await more(id);
      expect(await getFailure(more(id))).toMatchObject({ code: 43, codeName: "CursorNotFound" });
      const other = await find({ batchSize: 2 });
      const killed = { killCursors: name(), cursors: [other.id, Long.fromNumber(12345)] };
      expect(await context.database().command(killed)).toMatchObject({
        cursorsKilled: [expect.anything()],
        cursorsNotFound: [12345],
        cursorsAlive: [],
        cursorsUnknown: [],
      });
      expect(await getFailure(more(other.id))).toMatchObject({ code: 43 });
      expect(await getFailure(more(Long.fromNumber(98765)))).toMatchObject({ code: 43 });
    });

    it("belong to a collection", async () => {
      await fill(10);
      const { id } = await find({ batchSize: 2 });
      expect(
        await getFailure(context.database().command({ getMore: id, collection: context.others().collectionName })),
      ).toMatchObject({ code: 13 });
      expect((await more(id)).ids).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    });

    const afterwards = async (): Promise<unknown[]> => {
      await fill(10);
      const { id } = await find({ batchSize: 2 });
      await context.things().deleteMany({ _id: { $in: [4, 5, 9] } });
      await context.things().insertOne({ _id: 10 });
      await context.things().updateMany({}, { $set: { a: "x".repeat(100) } });
      return (await more(id)).ids;
    };
    context.differs("return changes of documents that they have not read yet", "read-ahead", {
      async real() {
        expect(await afterwards()).toEqual([2, 3, 6, 7, 8, 10]);
      },
      async here() {
        expect(await afterwards()).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10]);
      },
    });

    it("end when their collection is dropped", async () => {
      await fill(10);
      const { id } = await find({ batchSize: 2 });
      await context.things().drop();
      expect([43, 175]).toContain((await getFailure(more(id))).code);
    });

    it("end when the index that they read is dropped", async () => {
      await context.things().createIndex({ n: 1 });
      await context.things().insertMany(Array.from({ length: 200 }, (_, n) => ({ n })));
      const { id } = await find({ sort: { n: 1 }, filter: { n: { $gte: 0 } }, batchSize: 2 });
      await context.things().dropIndex("n_1");
      expect((await getFailure(more(id, { batchSize: 150 }))).code).toBe(175);
    });

    const ofThreeLarge = async (options: object): Promise<number[]> => {
      await context.things().insertMany([1, 2, 3].map((_id) => ({ _id, bytes: Buffer.alloc(6_000_000) })));
      return sizes(options);
    };
    context.differs("end a batch before it exceeds 16 MB", "batch-size", {
      async real() {
        expect(await ofThreeLarge({})).toEqual([2, 1]);
      },
      async here() {
        expect(await ofThreeLarge({})).toEqual([1, 1, 1]);
      },
    });
    it("end a single batch before it exceeds 16 MB", async () => {
      expect(await ofThreeLarge({ singleBatch: true })).toEqual([2]);
    });

    it("return the results of a pipeline in batches", async () => {
      await fill(300);
      const cursor = context.things().aggregate([{ $match: {} }], { cursor: { batchSize: 10 } });
      expect(await cursor.toArray()).toHaveLength(300);
    });

    it("end with their session", async () => {
      await fill(10);
      const session = context.client().startSession();
      const cursor = context.things().find({}, { batchSize: 2, session });
      await cursor.next();
      const id = Long.fromValue(cursor.id as Long);
      await context
        .client()
        .db("admin")
        .command({ endSessions: [session.id] });
      expect([43, 206, 13, 50738]).toContain((await getFailure(more(id))).code);
      await cursor.close();
      await session.endSession();
    });

    it("reject a negative batch size", async () => {
      await fill(10);
      const { id } = await find({ batchSize: 2 });
      expect(await getFailure(more(id, { batchSize: -1 }))).toMatchObject({ code: 51024 });
    });
  });
}
