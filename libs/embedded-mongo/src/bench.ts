import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import { startEmbeddedMongo } from "./index.ts";

// Figures of the embedded server through mongoose: `node src/bench.ts [<write concern, 1 unless given>|<URI of another server>]`.
const seconds = 3;
const folder = mkdtempSync(join(tmpdir(), "embedded-mongo-bench-"));
const given = process.argv[2]?.startsWith("mongodb") === true ? process.argv[2] : undefined;
const server = given === undefined ? await startEmbeddedMongo({ folder }) : undefined;
const concern = process.argv[2] === "majority" ? "majority" : 1;
const connection = await mongoose
  .createConnection(given ?? server?.uri ?? "", { dbName: "bench", writeConcern: { w: concern } })
  .asPromise();
await connection.dropDatabase();
const schema = new mongoose.Schema(
  { owner: { type: String, index: true }, name: { type: String, unique: true }, count: Number, tags: [String] },
  { timestamps: true },
);
schema.index({ owner: 1, _id: -1 });
const Thing = connection.model("Thing", schema);
await Thing.init();
let serial = 0;
const make = (): object => ({
  owner: `owner-${serial % 20}`,
  name: `name-${++serial}`,
  count: 0,
  tags: ["a", "b"],
});

async function measure(name: string, parallel: number, operation: () => Promise<unknown>): Promise<void> {
  const end = performance.now() + seconds * 1000;
  let count = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (performance.now() < end) {
        await operation();
        count += 1;
      }
    }),
  );
  const rate = (count * 1000) / (performance.now() - began);
  process.stdout.write(`${name.padEnd(48)} ${rate.toFixed(0).padStart(7)}/s\n`);
}

const first = await Thing.create(make());
await measure("create, one after the other", 1, () => Thing.create(make()));
await measure("create, 16 at a time", 16, () => Thing.create(make()));
await measure("findById lean, one after the other", 1, () => Thing.findById(first._id).lean());
await measure("findById lean, 16 at a time", 16, () => Thing.findById(first._id).lean());
await measure("updateOne $inc by id", 1, () => Thing.updateOne({ _id: first._id }, { $inc: { count: 1 } }));
await measure("transaction: find, save, one after the other", 1, () =>
  connection.transaction(async (session) => {
    const found = await Thing.findById(first._id).session(session);
    if (found === null) throw new Error("the document is gone");
    found.count = (found.count ?? 0) + 1;
    await found.save({ session });
  }),
);
await measure("transaction: insert and $inc, 16 at a time", 16, () =>
  connection.transaction(async (session) => {
    const [made] = await Thing.create([make()], { session });
    await Thing.updateOne({ _id: made?._id }, { $inc: { count: 1 } }, { session });
  }),
);
const missing = 20_000 - (await Thing.countDocuments());
for (let left = missing; left > 0; left -= 1000) {
  await Thing.insertMany(Array.from({ length: Math.min(1000, left) }, make));
}
const total = await Thing.countDocuments();
await measure(`page of 100 of an owner's, by id, of ${total}`, 1, () =>
  Thing.find({ owner: "owner-3" }).sort({ _id: -1 }).limit(100).lean(),
);
await measure(`one of ${total} without an index`, 1, () => Thing.findOne({ count: -1 }).lean());
await connection.close();
await server?.close();
rmSync(folder, { recursive: true });
