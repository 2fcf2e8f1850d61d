import { create } from "@bufbuild/protobuf";
import { ProjectSchema } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { getProblemFacts, invalid } from "@switchyard/rpc";
import mongoose from "mongoose";
import type { Model } from "mongoose";
import { connectStorage, newId } from "../index.ts";
import type { BatchedChange, Storage } from "../index.ts";
import { useDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";

interface Counter {
  _id: string;
  count: number;
}

interface Entry {
  _id: string;
}

/** The storage of one process, with batched changes. */
interface Process {
  storage: Storage;
  counters: Model<Counter>;
  entries: Model<Entry>;
  add: BatchedChange<Entry>;
  transactions: () => number;
}

/** Tests batched changes, on the given server. */
export function writeBatchingSuite(provide: () => Promise<TestDatabase>): void {
  const toResponse = () => create(ProjectSchema);
  const database = useDatabase(provide);
  let processes: Process[];

  async function start(name: string): Promise<Process> {
    const storage = await connectStorage({ uri: database.uri, database: name });
    const options = { versionKey: false } as const;
    const counter = new mongoose.Schema<Counter>({ _id: String, count: Number }, options);
    const counters = storage.connection.model<Counter>("Counter", counter, "counters");
    const entry = new mongoose.Schema<Entry>({ _id: String }, options);
    const entries = storage.connection.model<Entry>("Entry", entry, "entries");
    let transactions = 0;
    const add = storage.batchWrites<Entry>(async (key, changes, session) => {
      transactions += 1;
      const { matchedCount } = await counters.updateOne({ _id: key }, { $inc: { count: changes.length } }, { session });
      if (matchedCount === 0) return false;
      if (changes.some(({ _id }) => _id === "invalid")) throw invalid([{ field: "_id", message: "is invalid" }]);
      await entries.insertMany([...changes], { session });
      return true;
    });
    await storage.ready();
    return { storage, counters, entries, add, transactions: () => transactions };
  }
  beforeEach(async () => {
    const name = newId("test");
    processes = [await start(name), await start(name)];
    await processes[0]?.counters.create([
      { _id: "a", count: 0 },
      { _id: "b", count: 0 },
    ]);
  });
  afterEach(async () => {
    for (const { storage } of processes) await storage.close();
  });

  it("counts every concurrent change of several processes once, in shared transactions", async () => {
    const each = 150;
    const outcomes = await Promise.all(
      processes.flatMap(({ add }) =>
        Array.from({ length: each }, (_, n) => add(n % 3 === 0 ? "b" : "a", { _id: newId("ent") }, toResponse)),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set([true]));
    const [{ counters, entries }] = processes as [Process];
    const counts = await counters.find().sort({ _id: 1 }).lean();
    expect(counts.map(({ count }) => count)).toEqual([(2 * each * 2) / 3, (2 * each) / 3]);
    expect(await entries.countDocuments()).toBe(2 * each);
    // With separate transactions, there would be three hundred, plus the retries after conflicts.
    for (const { transactions } of processes) expect(transactions()).toBeLessThan(each);
  });

  it("rejects the changes of a missing document, and makes all others", async () => {
    const [{ add, entries }] = processes as [Process];
    const outcomes = await Promise.all(
      ["a", "none", "a", "none"].map((key) => add(key, { _id: newId("ent") }, toResponse)),
    );
    expect(outcomes).toEqual([true, false, true, false]);
    expect(await entries.countDocuments()).toBe(2);
  });

  it.each(["taken", "invalid"])("fails only the change that made a shared transaction fail: %s", async (id) => {
    const [{ add, entries }] = processes as [Process];
    await add("a", { _id: "taken" }, toResponse);
    const failures = await Promise.allSettled(
      Array.from({ length: 3 }, (_, n) => add("a", { _id: n === 1 ? id : newId("ent") }, toResponse)),
    );
    expect(failures.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await add("a", { _id: newId("ent") }, toResponse)).toBe(true);
    const [{ counters }] = processes as [Process];
    expect((await counters.findById("a").lean())?.count).toBe(await entries.countDocuments());
  });

  it("fails with STORAGE_BUSY after a bounded time while another transaction holds the document", async () => {
    const [first, second] = processes as [Process, Process];
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: held, resolve: hold } = Promise.withResolvers<void>();
    const holding = first.storage.atomically(async (session) => {
      await first.counters.updateOne({ _id: "a" }, { $inc: { count: 0.5 } }, { session });
      hold();
      await released;
    });
    await held;
    const begun = Date.now();
    const error = await second.add("a", { _id: newId("ent") }, toResponse).catch((thrown: unknown) => thrown);
    release();
    await holding;
    expect(getProblemFacts(error).reason).toBe("STORAGE_BUSY");
    expect(Date.now() - begun).toBeLessThan(20_000);
    expect(await second.add("a", { _id: newId("ent") }, toResponse)).toBe(true);
  });
}
