import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { startMongod } from "@switchyard/local-mongod";
import { connectStorage } from "@switchyard/storage";
import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import mongoose from "mongoose";
import type { Connection, Model } from "mongoose";

const documents = 100_000;
const rounds = 16;
/** The maximum ratio of a request to the same request on the real server. */
const maxRatio = 3;
/** Sequential reads by `_id` per second. */
const minReadsPerSecond = 2_000;

interface Thing {
  _id: string;
  owner: string;
  name: string;
  position: number;
  count: number;
  values: { field: string; value: string }[];
}

/** Returns the n-th document, which has about 400 bytes. */
const thing = (n: number): Thing => ({
  _id: `thing_${String(n).padStart(9, "0")}`,
  owner: `owner_${n % 20}`,
  name: `Name ${n}`,
  position: (n * 7919) % documents,
  count: 0,
  values: ["number", "date", "total"].map((field) => ({ field, value: `The ${field} of the document ${n}` })),
});

/** Returns the number of the document for the n-th request, in a sequence that looks random and is the same in each run. */
const chance = (n: number): number => Number((BigInt(n + 1) * 2_654_435_761n) % BigInt(documents));

/** A store that is measured. */
interface Contender {
  connection: Connection;
  things: Model<Thing>;
  close(): Promise<void>;
}

/** One kind of request. Its results and writes depend only on n, and must be the same on every store. */
interface Row {
  name: string;
  /** The number of requests in a round, and how many of them are concurrent. */
  times: number;
  parallel: number;
  run(contender: Contender, n: number): Promise<unknown>;
}

const byId = ({ things }: Contender, n: number) => things.findById(thing(chance(n))._id).lean();
const readsById = "read by _id";

const rows: readonly Row[] = [
  { name: "insert", times: 40, parallel: 1, run: ({ things }, n) => things.create(thing(documents + n)) },
  { name: "insert, 8 at a time", times: 160, parallel: 8, run: ({ things }, n) => things.create(thing(2e6 + n)) },
  {
    name: "insert 100 at once",
    times: 4,
    parallel: 1,
    run: ({ things }, n) => things.insertMany(Array.from({ length: 100 }, (_, at) => thing(3e6 + n * 100 + at))),
  },
  { name: readsById, times: 200, parallel: 1, run: byId },
  { name: "read by _id, 8 at a time", times: 400, parallel: 8, run: byId },
  {
    name: "read by a unique key",
    times: 200,
    parallel: 1,
    run: ({ things }, n) => things.findOne({ name: thing(chance(n)).name }).lean(),
  },
  {
    name: "range, sort, limit 50",
    times: 40,
    parallel: 1,
    run({ things }, n) {
      const below = mongoose.trusted({ $lt: documents - chance(n) / 2 });
      return things
        .find({ owner: `owner_${n % 20}`, position: below })
        .sort({ position: -1 })
        .limit(50)
        .lean();
    },
  },
  {
    name: "guarded update",
    times: 40,
    parallel: 1,
    async run({ things }, n) {
      // Each document is changed once. A second request does not match the filter.
      const filter = {
        _id: thing(chance(n) % 300)._id,
        values: mongoose.trusted({ $not: { $elemMatch: { field: "iban" } } }),
      };
      const change = { $inc: { count: 1 }, $push: { values: { field: "iban", value: String(n) } } };
      return (await things.updateOne(filter, change)).modifiedCount;
    },
  },
  {
    name: "transaction: insert, guarded update",
    times: 20,
    parallel: 1,
    run: ({ connection, things }, n) =>
      connection.transaction(async (session) => {
        await things.create([thing(4e6 + n)], { session });
        const filter = { _id: thing(chance(n))._id, count: mongoose.trusted({ $lte: n }) };
        return things.findOneAndUpdate(filter, { $inc: { count: 1 } }, { session, returnDocument: "after" }).lean();
      }),
  },
];

async function contender(server: { uri: string; close(): Promise<void> }): Promise<Contender> {
  const storage = await connectStorage({ uri: server.uri, database: "switchyard_bench" });
  const { String: text, Number: number } = mongoose.Schema.Types;
  const values = [{ _id: false, field: text, value: text }];
  const fields = { _id: text, owner: text, name: text, position: number, count: number, values };
  const schema = new mongoose.Schema<Thing>(fields, { versionKey: false })
    .index({ name: 1 }, { unique: true })
    .index({ owner: 1, position: -1 });
  const things = storage.connection.model<Thing>("Thing", schema, "things");
  await storage.ready();
  for (let from = 0; from < documents; from += 1_000) {
    await things.collection.insertMany(Array.from({ length: 1_000 }, (_, at) => thing(from + at) as never));
  }
  return {
    connection: storage.connection,
    things,
    async close() {
      await storage.close();
      await server.close();
    },
  };
}

interface Measured {
  /** The lower quartile of the rounds, because disturbances only make rounds slower. */
  perSecond: number;
  /** The SHA-256 of all results in the order of their requests. */
  hash: string;
}

const getQuarter = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[values.length / 4 - 1] ?? 0;

/** Measures a row on all stores in turn, so that disturbances affect all of them. The first round is a warm-up. */
async function measuredRow(row: Row, contenders: readonly Contender[]): Promise<Measured[]> {
  const durations = contenders.map((): number[] => []);
  const hashes = contenders.map(() => createHash("sha256"));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, each] of contenders.entries()) {
      const responses: unknown[] = [];
      let next = 0;
      const started = performance.now();
      const worker = async (): Promise<void> => {
        for (let n = next++; n < row.times; n = next++) responses[n] = await row.run(each, round * row.times + n);
      };
      await Promise.all(Array.from({ length: row.parallel }, worker));
      if (round > 0) durations[index]?.push(performance.now() - started);
      hashes[index]?.update(JSON.stringify(responses));
    }
  }
  return contenders.map((_, index) => ({
    perSecond: (row.times * 1_000) / getQuarter(durations[index] ?? []),
    hash: hashes[index]?.digest("hex") ?? "",
  }));
}

/** The embedded store takes at most three times as long as a real server, with the same results. */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const binary = process.env["MONGOD_BINARY"] ?? "";
  const contenders: Contender[] = [];
  let kept = true;
  try {
    contenders.push(await contender(await startEmbeddedMongo({ folder: join(folder, "store") })));
    if (binary !== "") contenders.push(await contender(await startMongod({ binary, folder: join(folder, "mongod") })));
    else console.log("  a real MongoDB is skipped: MONGOD_BINARY names no mongod");
    console.log(`  ${"requests a second, over 100,000 documents".padEnd(44)} embedded     real  ratio`);
    for (const row of rows) {
      const [embedded, real] = await measuredRow(row, contenders);
      if (embedded === undefined) throw new Error("nothing was measured");
      const ratio = real === undefined ? undefined : real.perSecond / embedded.perSecond;
      const figures = [embedded.perSecond.toFixed(0), real?.perSecond.toFixed(0) ?? "-"].map((text) =>
        text.padStart(8),
      );
      const faults = [
        ...(ratio !== undefined && ratio > maxRatio ? [`more than ${maxRatio}`] : []),
        ...(real !== undefined && real.hash !== embedded.hash ? ["the results differ"] : []),
        ...(row.name === readsById && embedded.perSecond < minReadsPerSecond
          ? [`fewer than ${minReadsPerSecond}/s`]
          : []),
      ];
      console.log(
        `  ${row.name.padEnd(44)} ${figures.join(" ")} ${(ratio?.toFixed(2) ?? "-").padStart(6)}  ${faults.join("; ")}`,
      );
      kept &&= faults.length === 0;
    }
    console.log(
      `  aims: no ratio over ${maxRatio}, at least ${minReadsPerSecond} reads by _id a second, the same results: ${kept ? "kept" : "missed"}`,
    );
  } finally {
    for (const each of contenders) await each.close();
    await rm(folder, { recursive: true, force: true });
  }
  return kept;
}
