import mongoose from "mongoose";
import { connectStorage } from "../connection/connection.ts";
import type { Storage } from "../connection/connection.ts";
import { startTestDatabase, useDatabase } from "../testing/database.ts";
import { createLeaseSchema, createUnheldLease } from "./lease.ts";
import { createProgressingStore } from "./leased-store.ts";
import type { ProgressingRecord, ProgressingStore } from "./leased-store.ts";

const database = useDatabase(startTestDatabase);
const minute = 60_000;
const hour = 60 * minute;
const start = Date.UTC(2026, 0, 1);
const leaseMs = minute / 2;
const stallMs = 15 * minute;

describe("the time without progress of documents that are worked on under leases", () => {
  let storage: Storage;
  let jobs: mongoose.Model<ProgressingRecord>;
  let store: ProgressingStore<ProgressingRecord>;
  beforeAll(async () => {
    storage = await connectStorage({ uri: database.uri, database: "progress" });
    const schema = new mongoose.Schema<ProgressingRecord>(
      {
        _id: { type: String, required: true },
        lease: { type: createLeaseSchema(), required: true },
        progressAt: { type: Date, default: null },
      },
      { versionKey: false },
    );
    jobs = storage.connection.model<ProgressingRecord>("ProgressingJob", schema, "progressing_jobs");
    await storage.ready();
  });
  beforeEach(async () => {
    await jobs.deleteMany({});
    store = createProgressingStore(jobs, {});
  });
  afterAll(() => storage.close());

  const toDate = (time: number): Date => new Date(start + time);
  const acquire = (time: number, owner = "a") => store.acquire("one", owner, toDate(time), toDate(time + leaseMs));
  const isStalled = async (time: number) =>
    (await store.listStalled(toDate(time - stallMs), toDate(time), 10)).includes("one");

  /** Renews the lease of an owner for some time, as often as a holder does. */
  async function hold(from: number, to: number, owner = "a"): Promise<void> {
    for (let time = from; time <= to; time += leaseMs / 2)
      await store.renewLeases(["one"], owner, toDate(time), toDate(time + leaseMs));
  }

  /** Creates a document whose first holder has made progress at the start, and renewed its lease for a minute. */
  async function createHeld(): Promise<void> {
    await jobs.create([{ _id: "one", lease: createUnheldLease(), progressAt: toDate(0) }]);
    await acquire(0);
    await hold(0, minute);
  }

  it.each([
    { name: "released", free: async () => void (await store.releaseOthers("b")) },
    { name: "left by a process that was killed", free: async () => undefined },
  ])("does not include the night after one was $name", async ({ free }) => {
    await createHeld();
    await free();
    const morning = 10 * hour;
    expect(await isStalled(morning)).toBe(false);
    expect(await acquire(morning, "b")).not.toBeNull();
    await hold(morning, morning + stallMs - 2 * minute, "b");
    expect(await isStalled(morning + stallMs - 2 * minute)).toBe(false);
    await hold(morning + stallMs - 2 * minute, morning + stallMs, "b");
    expect(await isStalled(morning + stallMs)).toBe(true);
  });

  it("does not include the time in which the holder was suspended", async () => {
    await createHeld();
    const morning = 10 * hour;
    expect(await isStalled(morning)).toBe(false);
    await hold(morning, morning);
    expect(await isStalled(morning)).toBe(false);
    await hold(morning, morning + stallMs);
    expect(await isStalled(morning + stallMs)).toBe(true);
  });

  it("begins with the first holder", async () => {
    await jobs.create([{ _id: "one", lease: createUnheldLease(), progressAt: toDate(0) }]);
    expect(await isStalled(2 * hour)).toBe(false);
    await acquire(2 * hour);
    expect(await isStalled(2 * hour)).toBe(false);
  });

  it("includes the leases of processes that crash at once and are started again, without another to wait for their end", async () => {
    await createHeld();
    let time = minute;
    const starts = async (): Promise<boolean> => {
      await store.releaseOthers(`${time}`);
      if (await isStalled(time)) return false;
      await acquire(time, `${time}`);
      return true;
    };
    while (time < 2 * stallMs && (await starts())) time += leaseMs / 6;
    expect(time).toBeGreaterThanOrEqual(stallMs);
    expect(time).toBeLessThan(stallMs + 2 * minute);
  });

  it("includes the leases of holders that fail at once", async () => {
    await createHeld();
    let time = minute + leaseMs;
    for (; time < 2 * stallMs && !(await isStalled(time)); time += leaseMs + 1) await acquire(time, `${time}`);
    expect(time).toBeGreaterThanOrEqual(stallMs);
    expect(time).toBeLessThan(stallMs + 2 * minute);
  });
});
