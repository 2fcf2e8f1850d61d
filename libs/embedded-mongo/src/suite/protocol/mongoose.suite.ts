import mongoose, { Schema } from "mongoose";
import { getFailure, type SuiteContext } from "../context.suite.ts";

/** Tests mongoose models as the services use them. */
export function describeMongoose(context: SuiteContext): void {
  describe("mongoose", () => {
    const model = (definition: object, options = {}): mongoose.Model<any> => {
      const made: unknown = context.connection().model(`Model${context.count()}`, new Schema(definition, options));
      return made as mongoose.Model<any>;
    };

    it("creates, finds, saves and deletes documents with their types", async () => {
      const Model = model(
        {
          name: String,
          count: Number,
          bytes: Buffer,
          when: Date,
          tags: [String],
          long: BigInt,
          id: Schema.Types.UUID,
          inner: { ref: Schema.Types.ObjectId },
        },
        { timestamps: true },
      );
      const ref = new mongoose.Types.ObjectId();
      const when = new Date(-1_700_000_000_123);
      const given = { name: "ä", count: 1.5, bytes: Buffer.from([0, 255]), when, tags: ["x"], inner: { ref } };
      const id = "00112233-4455-6677-8899-aabbccddeeff";
      const made = await Model.create({ ...given, long: 9007199254740993n, id });
      const found = await Model.findById(made._id).orFail();
      expect([found.name, found.count, found.when, found.long, String(found.id)]).toEqual([
        "ä",
        1.5,
        when,
        9007199254740993n,
        id,
      ]);
      expect(Buffer.from(found.bytes)).toEqual(Buffer.from([0, 255]));
      expect(String(found.inner.ref)).toBe(String(ref));
      found.tags.push("y");
      found.count = 2;
      await found.save();
      const saved = await Model.findById(made._id).lean().orFail();
      expect([saved.tags, saved.updatedAt >= saved.createdAt]).toEqual([["x", "y"], true]);
      expect((await Model.deleteOne({ _id: made._id })).deletedCount).toBe(1);
      expect(await Model.findById(made._id)).toBeNull();
    });

    it("reports the key of a duplicate", async () => {
      const Model = model({ project: String, name: String });
      Model.schema.index({ project: 1, name: 1 }, { unique: true });
      await Model.syncIndexes();
      await Model.create({ project: "p", name: "n" });
      expect(await getFailure(Model.create({ project: "p", name: "n" }))).toMatchObject({
        code: 11000,
        keyPattern: { project: 1, name: 1 },
        keyValue: { project: "p", name: "n" },
      });
      await Model.create({ project: "q", name: "n" });
    });

    it("creates the indexes of a schema, and drops others", async () => {
      const Model = model({ a: { type: String, index: true }, b: { type: Number, unique: true, sparse: true } });
      await Model.init();
      await Model.collection.createIndex({ c: 1 });
      expect(await Model.syncIndexes()).toEqual(["c_1"]);
      expect((await Model.listIndexes()).map(({ name }) => name)).toEqual(["_id_", "a_1", "b_1"]);
    });

    it("rejects the save of an outdated version", async () => {
      const Model = model({ list: [Number] }, { optimisticConcurrency: true });
      const { _id } = await Model.create({ list: [1, 2] });
      const [first, second] = [await Model.findById(_id).orFail(), await Model.findById(_id).orFail()];
      first.list.push(3);
      await first.save();
      second.list.push(4);
      expect(await getFailure(second.save())).toMatchObject({ name: "VersionError" });
    });

    it("pages by a cursor and by sort, skip and limit", async () => {
      const Model = model({ n: Number });
      await Model.insertMany(Array.from({ length: 250 }, (_, n) => ({ n })));
      let sum = 0;
      for await (const { n } of Model.find().lean().cursor({ batchSize: 20 })) sum += n as number;
      expect(sum).toBe((249 * 250) / 2);
      const page = await Model.find({ n: { $gte: 100 } })
        .sort({ n: -1 })
        .skip(10)
        .limit(3)
        .select("n -_id")
        .lean();
      expect(page).toEqual([{ n: 239 }, { n: 238 }, { n: 237 }]);
      expect([await Model.countDocuments({ n: { $lt: 7 } }), await Model.exists({ n: 999 })]).toEqual([7, null]);
    });

    it("updates documents within arrays", async () => {
      const Model = model({ items: [{ _id: false, key: String, n: Number }] });
      const { _id } = await Model.create({
        items: [
          { key: "a", n: 1 },
          { key: "b", n: 2 },
        ],
      });
      await Model.updateOne({ _id, "items.key": "b" }, { $inc: { "items.$.n": 5 } });
      await Model.updateOne({ _id }, { $set: { "items.$[e].n": 0 } }, { arrayFilters: [{ "e.key": "a" }] });
      await Model.updateOne({ _id, "items.key": { $ne: "c" } }, { $push: { items: { key: "c", n: 3 } } });
      await Model.updateOne({ _id }, { $pull: { items: { n: { $gt: 5 } } } });
      expect((await Model.findById(_id).lean()).items).toEqual([
        { key: "a", n: 0 },
        { key: "c", n: 3 },
      ]);
    });

    it("upserts once, with the defaults of the schema", async () => {
      const Model = model({ key: String, n: Number, state: { type: String, default: "new" } }, { timestamps: true });
      const upsert = (): Promise<any> =>
        Model.findOneAndUpdate({ key: "k" }, { $inc: { n: 1 } }, { upsert: true, returnDocument: "after" }).lean();
      await upsert();
      expect(await upsert()).toMatchObject({ key: "k", n: 2, state: "new", createdAt: expect.any(Date) });
      expect(await Model.countDocuments()).toBe(1);
    });

    it("loses no increment of concurrent transactions", async () => {
      const Model = model({ _id: String, total: Number });
      await Model.create({ _id: "one", total: 0 });
      await Promise.all(
        Array.from({ length: 6 }, async () => {
          for (let each = 0; each < 4; each += 1) {
            await context.connection().transaction(async (session) => {
              const found = await Model.findById("one").session(session).orFail();
              found.total += 1;
              await found.save({ session });
            });
          }
        }),
      );
      expect((await Model.findById("one").orFail()).total).toBe(24);
    });

    it("writes in bulk", async () => {
      const Model = model({ _id: Number, n: Number });
      await Model.bulkWrite([
        { insertOne: { document: { _id: 1, n: 1 } } },
        { updateOne: { filter: { _id: 2 }, update: { $set: { n: 2 } }, upsert: true } },
        { updateMany: { filter: {}, update: { $inc: { n: 10 } } } },
        { deleteOne: { filter: { _id: 1 } } },
      ]);
      expect(await Model.find().select("n").lean()).toEqual([{ _id: 2, n: 12 }]);
    });
  });
}
