import mongoose from "mongoose";
import type { SuiteContext } from "./context.suite.ts";

/** Models, as the services use them. */
export function describeMongoose(context: SuiteContext): void {
  describe("through mongoose", () => {
    it("creates, finds, saves and deletes documents with their types", async () => {
      const schema = new mongoose.Schema(
        {
          name: String,
          count: Number,
          bytes: Buffer,
          when: Date,
          tags: [String],
          inner: { ref: mongoose.Types.ObjectId },
        },
        { timestamps: true },
      );
      const Model = context.connection().model(`Model${context.count()}`, schema);
      const ref = new mongoose.Types.ObjectId();
      const when = new Date(1_700_000_000_123);
      const made = await Model.create({
        name: "ä",
        count: 1.5,
        bytes: Buffer.from([0, 255]),
        when,
        tags: ["x"],
        inner: { ref },
      });
      const found = await Model.findById(made._id).orFail();
      expect(found.name).toBe("ä");
      expect(found.count).toBe(1.5);
      expect(found.when).toEqual(when);
      expect(Buffer.from(found.bytes as Buffer)).toEqual(Buffer.from([0, 255]));
      expect(String(found.inner?.ref)).toBe(String(ref));
      found.tags.push("y");
      found.count = 2;
      await found.save();
      expect((await Model.findById(made._id).lean().orFail()).tags).toEqual(["x", "y"]);
      expect((await Model.deleteOne({ _id: made._id })).deletedCount).toBe(1);
      expect(await Model.findById(made._id)).toBeNull();
    });

    it("names the key of a duplicate", async () => {
      const schema = new mongoose.Schema({ project: String, name: String });
      schema.index({ project: 1, name: 1 }, { unique: true });
      const Model = context.connection().model(`Model${context.count()}`, schema);
      await Model.init();
      await Model.create({ project: "p", name: "n" });
      await expect(Model.create({ project: "p", name: "n" })).rejects.toMatchObject({
        code: 11000,
        keyPattern: { project: 1, name: 1 },
        keyValue: { project: "p", name: "n" },
      });
      await Model.create({ project: "q", name: "n" });
    });

    it("loses no increment of racing transactions", async () => {
      const Model = context
        .connection()
        .model(`Model${context.count()}`, new mongoose.Schema({ _id: String, total: Number }));
      await Model.create({ _id: "one", total: 0 });
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let each = 0; each < 5; each++) {
            await context.connection().transaction(async (session) => {
              const found = await Model.findById("one").session(session).orFail();
              found.total = (found.total ?? 0) + 1;
              await found.save({ session });
            });
          }
        }),
      );
      expect((await Model.findById("one").orFail()).total).toBe(40);
    });
  });
}
