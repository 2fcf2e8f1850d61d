import { createClient } from "@connectrpc/connect";
import type { ServiceImpl } from "@connectrpc/connect";
import { IdentityService } from "@switchyard/contracts/switchyard/identity/v1/identity";
import { createDirectTransport, createLogger, getProblemFacts, register, serverInterceptors } from "@switchyard/rpc";
import mongoose, { Schema, trusted } from "mongoose";
import type { Model } from "mongoose";
import { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { connectStorage, isDuplicateKey, newId } from "./index.ts";
import type { Storage } from "./index.ts";
import { useDatabase } from "./testing/database.ts";
import type { TestDatabase } from "./testing/database.ts";

interface Counter {
  _id: string;
  name: string;
  value: number;
}

/** Tests a storage, on the given server. */
export function storageSuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let storage: Storage;
  let counters: Model<Counter>;

  beforeEach(async () => {
    storage = await connectStorage({ uri: database.uri, database: newId("test") });
    counters = registerCounters(storage);
    await storage.ready();
  });

  /** Registers the model of counters, with further indexes. */
  function registerCounters({ connection }: Storage, ...further: Record<string, 1 | -1>[]): Model<Counter> {
    const schema = new Schema<Counter>({ _id: String, name: String, value: Number }, { versionKey: false });
    schema.index({ name: 1 }, { unique: true, name: "counter_name" });
    for (const key of further) schema.index(key);
    return connection.model<Counter>("counters", schema, "counters");
  }

  afterEach(async () => {
    await storage.connection.dropDatabase();
    await storage.close();
  });

  it("has the indexes of all models once it is ready, even if that is requested twice", async () => {
    await storage.ready();
    const indexes = await counters.listIndexes();
    expect(indexes.map((index: { name?: string }) => index.name).sort()).toEqual(["_id_", "counter_name"]);
  });

  it("builds the missing indexes of an existing collection with one command, and logs it", async () => {
    await counters.create({ _id: "a", name: "a", value: 0 });
    let log = "";
    const destination = new Writable({
      write(chunk, _encoding, done) {
        log += String(chunk);
        done();
      },
    });
    /** The start of a later version, which has more indexes. */
    const start = async () => {
      const later = await connectStorage({ uri: database.uri, database: storage.connection.name });
      registerCounters(later, { value: 1 }, { name: 1, value: -1 });
      await later.ready(createLogger({ name: "test", level: "info", destination }));
      await later.close();
    };
    await start();
    const indexes = await counters.listIndexes();
    const names = indexes.map((index: { name?: string }) => index.name).sort();
    expect(names).toEqual(["_id_", "counter_name", "name_1_value_-1", "value_1"]);
    const lines = log.trim().split("\n");
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      expect.objectContaining({ msg: "Building 2 indexes of counters", indexes: ["value_1", "name_1_value_-1"] }),
      expect.objectContaining({ msg: "Built 2 indexes of counters" }),
    ]);
    await start();
    expect(log.trim().split("\n")).toEqual(lines);
  });

  it("reports which unique index rejected a key", async () => {
    await counters.create({ _id: "a", name: "same", value: 0 });
    const byName = await counters.create({ _id: "b", name: "same", value: 0 }).catch((error: unknown) => error);
    const byId = await counters.create({ _id: "a", name: "other", value: 0 }).catch((error: unknown) => error);
    expect([isDuplicateKey(byName), isDuplicateKey(byName, "counter_name")]).toEqual([true, true]);
    expect([isDuplicateKey(byId), isDuplicateKey(byId, "counter_name")]).toEqual([true, false]);
    expect(isDuplicateKey(new Error("E11000"))).toBe(false);
  });

  it("commits a transaction, and returns its result", async () => {
    const result = await storage.atomically(async (session) => {
      await counters.create([{ _id: "a", name: "a", value: 1 }], { session });
      await counters.create([{ _id: "b", name: "b", value: 2 }], { session });
      return "done";
    });
    expect(result).toBe("done");
    expect(await counters.countDocuments({})).toBe(2);
  });

  it("rolls back a transaction that throws, and throws the same error", async () => {
    const fault = new Error("stop");
    const work = storage.atomically(async (session) => {
      await counters.create([{ _id: "a", name: "a", value: 1 }], { session });
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await counters.countDocuments({})).toBe(0);
  });

  it("hides the writes of a transaction before its commit", async () => {
    await storage.atomically(async (session) => {
      await counters.create([{ _id: "a", name: "a", value: 1 }], { session });
      expect(await counters.findOne({ _id: "a" }).lean()).toBeNull();
    });
    expect(await counters.findOne({ _id: "a" }).lean()).toMatchObject({ value: 1 });
  });

  it("repeats a transaction for which the cache of the database had no room, beside others", async () => {
    let attempts = 0;
    await storage.atomically(async (session) => {
      await counters.create([{ _id: "a", name: "a", value: 1 }], { session });
      attempts += 1;
      const message = "-31800: transaction is too large and will not fit in the storage engine cache";
      if (attempts === 1) throw new mongoose.mongo.MongoServerError({ message, code: 388 });
    });
    expect([attempts, await counters.countDocuments({})]).toEqual([2, 1]);
  });

  it("reports a duplicate key in a transaction as such", async () => {
    await counters.create({ _id: "a", name: "same", value: 0 });
    const failed = await storage
      .atomically((session) => counters.create([{ _id: "b", name: "same", value: 0 }], { session }))
      .catch((error: unknown) => error);
    expect(isDuplicateKey(failed, "counter_name")).toBe(true);
  });

  it("rejects a nested transaction, and allows the next one", async () => {
    const nested = storage.atomically(() => storage.atomically(async () => "inner"));
    await expect(nested).rejects.toThrow("Transactions cannot be nested");
    await expect(storage.atomically(async () => "next")).resolves.toBe("next");
  });

  it("loses no update of concurrent transactions", async () => {
    await counters.create({ _id: "a", name: "a", value: 0 });
    const add = (): Promise<void> =>
      storage.atomically(async (session) => {
        const counter = await counters.findOne({ _id: "a" }).session(session).lean<Counter>();
        await sleep(1);
        await counters.updateOne({ _id: "a" }, { $set: { value: (counter?.value ?? 0) + 1 } }, { session });
      });
    const retryUntilSuccess = async (): Promise<void> => {
      // A transaction that conflicts for too long fails with STORAGE_BUSY and is repeated by its caller.
      while ((await add().catch(getProblemFacts))?.reason === "STORAGE_BUSY");
    };
    await Promise.all(Array.from({ length: 20 }, retryUntilSuccess));
    expect(await counters.findOne({ _id: "a" }).lean()).toMatchObject({ value: 20 });
  });

  it("commits nothing for a call whose deadline has passed, and releases its documents", async () => {
    await counters.create({ _id: "a", name: "a", value: 0 });
    let ended = (): void => undefined;
    const over = new Promise<void>((resolve) => (ended = resolve));
    const identities: Partial<ServiceImpl<typeof IdentityService>> = {
      async createProject() {
        try {
          await storage.atomically(async (session) => {
            await counters.updateOne({ _id: "a" }, { $set: { value: 1 } }, { session });
            await sleep(2_000);
          });
          return {};
        } finally {
          ended();
        }
      },
    };
    const transport = createDirectTransport({
      services: [register(IdentityService, identities as ServiceImpl<typeof IdentityService>)],
      serverInterceptors: serverInterceptors({ logger: createLogger({ name: "test", level: "silent" }) }),
    });
    const call = createClient(IdentityService, transport).createProject({}, { timeoutMs: 1_000 });
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(getProblemFacts(error).reason).toBe("DEADLINE_EXCEEDED");
    await over;
    await counters.updateOne({ _id: "a" }, { $inc: { value: 5 } });
    expect(await counters.findOne({ _id: "a" }).lean()).toMatchObject({ value: 5 });
  });

  it("treats an object with operators in a filter as a value, unless it is trusted", async () => {
    await counters.create({ _id: "a", name: "a", value: 1 });
    await expect(counters.findOne({ name: { $gt: "" } }).lean()).rejects.toThrow();
    expect(await counters.findOne({ name: trusted({ $gt: "" }) }).lean()).toMatchObject({ _id: "a" });
  });

  it("rejects filters and documents with fields that the schema does not have", async () => {
    await expect(counters.findOne({ nmae: "a" } as object)).rejects.toThrow("nmae");
    await expect(counters.create({ _id: "a", name: "a", value: 1, extra: 1 } as Counter)).rejects.toThrow("extra");
  });
}
