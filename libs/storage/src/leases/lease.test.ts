import mongoose from "mongoose";
import { setTimeout as sleep } from "node:timers/promises";
import { connectStorage } from "../connection/connection.ts";
import type { Storage } from "../connection/connection.ts";
import {
  createUnheldLease,
  releaseLease,
  renewLease,
  toHeldLeaseFilter,
  toForeignLeaseFilter,
  toFutureLeaseFilter,
} from "./lease.ts";
import { toExpiredLeaseFilter, createLeaseSchema, acquireLease, watchFreeLeases } from "./lease.ts";
import type { Lease } from "./lease.ts";
import { startTestDatabase, testDatabaseName } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";

interface Job {
  _id: string;
  lease: Lease;
  note: string;
}

describe("leases", () => {
  let database: TestDatabase;
  let storage: Storage;
  let jobs: mongoose.Model<Job>;
  beforeAll(async () => {
    database = await startTestDatabase();
    storage = await connectStorage({ uri: database.uri, database: "leases" });
    const schema = new mongoose.Schema<Job>(
      { _id: { type: String, required: true }, lease: { type: createLeaseSchema(), required: true }, note: String },
      { versionKey: false },
    );
    jobs = storage.connection.model<Job>("Job", schema, "jobs");
    await storage.ready();
  });
  afterAll(async () => {
    await storage.close();
    await database.close();
  });

  const take = (id: string, owner: string, now: number) =>
    jobs
      .findOneAndUpdate(
        { _id: id, ...toExpiredLeaseFilter(new Date(now)) },
        acquireLease(owner, new Date(now), new Date(now + 10)),
        {
          returnDocument: "after",
        },
      )
      .lean();
  const write = async (id: string, lease: Lease, note: string) =>
    (await jobs.updateOne({ _id: id, ...toHeldLeaseFilter(lease) }, { $set: { note } })).matchedCount;

  it("are acquired by only one of several owners, and only the holder of the latest fence may write", async () => {
    await jobs.create([{ _id: "one", lease: createUnheldLease(), note: "" }]);
    const holders = await Promise.all(["a", "b", "c", "d"].map((owner) => take("one", owner, 100)));
    const [first, ...others] = holders.filter((taken) => taken !== null);
    expect(others).toEqual([]);
    expect(first?.lease.fence).toBe(1);
    expect(await take("one", "e", 110)).toBeNull();
    const second = await take("one", "e", 111);
    expect(second?.lease).toMatchObject({ owner: "e", fence: 2 });
    expect(await write("one", first?.lease as Lease, "late")).toBe(0);
    expect(await write("one", second?.lease as Lease, "in time")).toBe(1);
    // The same owner with an older fence counts as another holder.
    expect(await write("one", { ...(second?.lease as Lease), fence: 1 }, "late")).toBe(0);
    expect((await jobs.findById("one").lean())?.note).toBe("in time");
  });

  it("do not last longer if the clock is set back", async () => {
    const hour = 3_600_000;
    await jobs.create([{ _id: "late", lease: createUnheldLease(), note: "" }]);
    const before = await take("late", "a", 2 * hour);
    const free = async (now: number) =>
      (await jobs.updateMany({ _id: "late", ...toFutureLeaseFilter(new Date(now)) }, releaseLease())).matchedCount;
    // The clock of another machine may be slightly ahead.
    expect(await free(2 * hour - 30_000)).toBe(0);
    expect(await take("late", "b", 2 * hour - 30_000)).toBeNull();
    expect(await free(hour)).toBe(1);
    expect((await take("late", "b", hour))?.lease).toMatchObject({ owner: "b", fence: 2 });
    expect(await write("late", before?.lease as Lease, "late")).toBe(0);
  });

  it("of other owners can be released", async () => {
    await jobs.create(["old", "own", "free"].map((_id) => ({ _id, lease: createUnheldLease(), note: "" })));
    await take("old", "dead", 100);
    await take("own", "me", 100);
    const ids = { _id: mongoose.trusted({ $in: ["old", "own", "free"] }) };
    expect((await jobs.updateMany({ ...ids, ...toForeignLeaseFilter("me") }, releaseLease())).matchedCount).toBe(1);
    expect(await take("own", "other", 105)).toBeNull();
    expect((await take("old", "me", 105))?.lease).toMatchObject({ owner: "me", fence: 2 });
  });

  it(`that nobody holds are ${testDatabaseName === "MongoDB" ? "reported" : "not reported"} by a change stream`, async () => {
    const stream = watchFreeLeases(jobs.collection);
    const next = () => stream.tryNext() as Promise<{ documentKey: { _id: string } } | null>;
    if (testDatabaseName !== "MongoDB") {
      await expect(next()).rejects.toThrow("$changeStream");
      return;
    }
    const note = (_id: string, lease: Lease) => jobs.create([{ _id, lease, note: "" }]);
    const opened = next().then(() => true);
    // What is written before the stream is open is not reported.
    for (let n = 0; !(await Promise.race([opened, sleep(50, false)])); n += 1)
      await note(`early ${n}`, createUnheldLease());
    await note("held", { owner: "a", since: new Date(0), until: new Date(1_000), fence: 1 });
    await jobs.updateOne({ _id: "held" }, renewLease(new Date(1), new Date(2_000)));
    await jobs.updateOne({ _id: "held" }, { $set: { note: "changed" } });
    await jobs.updateOne({ _id: "held" }, releaseLease());
    await note("unheld", createUnheldLease());
    const reported: string[] = [];
    while (!reported.includes("unheld")) reported.push((await next())?.documentKey._id ?? "");
    await stream.close();
    expect(reported.filter((id) => !id.startsWith("early"))).toEqual(["held", "unheld"]);
  });
});
