import { connectStorage, newId } from "../index.ts";
import type { Storage } from "../index.ts";
import { getProblemFacts } from "@switchyard/rpc";
import { setTimeout as sleep } from "node:timers/promises";
import { useDatabase } from "../testing/database.ts";
import type { TestDatabase } from "../testing/database.ts";
import { serveKeyed } from "../testing/keyed-service.ts";
import type { KeyedService, Moments } from "../testing/keyed-service.ts";

const day = 24 * 60 * 60 * 1000;
/** The lease is long enough that it is not renewed, unless a test sets another one. */
const leaseMs = 600_000;

/** Tests idempotency keys, on the given server. */
export function idempotencySuite(provide: () => Promise<TestDatabase>): void {
  const database = useDatabase(provide);
  let name: string;
  let storage: Storage;
  let service: KeyedService;
  /** The clock, in milliseconds. */
  let time: number;
  let moments: Partial<Moments>;

  const where = () => ({ uri: database.uri, database: name, now: () => time });

  beforeEach(async () => {
    time = Date.now();
    moments = {};
    name = newId("test");
    storage = await connectStorage({ ...where(), keyLeaseMs: leaseMs });
    service = serveKeyed(storage, {
      before: async (name) => moments.before?.(name),
      within: (session) => moments.within?.(session),
      after: async (name) => moments.after?.(name),
    });
    await storage.ready();
  });
  afterEach(async () => {
    await storage.connection.dropDatabase();
    await storage.close();
  });

  const effects = () => service.effects.countDocuments({});
  const documents = () => storage.connection.collection("idempotency_keys").find({}).toArray();

  /** Pauses the next call at a moment of its effect. `reached` resolves when it pauses. */
  function pauseAt(moment: "before" | "after"): { reached: Promise<void>; proceed: () => void } {
    let arrive = (): void => undefined;
    let proceed = (): void => undefined;
    const reached = new Promise<void>((resolve) => (arrive = resolve));
    const free = new Promise<void>((resolve) => (proceed = resolve));
    moments[moment] = () => {
      delete moments[moment];
      arrive();
      return free;
    };
    return { reached, proceed: () => proceed() };
  }

  it("return the first response to a repeated request, without an effect", async () => {
    const first = await service.createProject("a", "key");
    expect(await service.createProject("a", "key")).toBe(`replayed ${first}`);
    expect(await service.createProject("a", "key")).toBe(`replayed ${first}`);
    expect(await effects()).toBe(1);
  });

  it("are optional: requests without one are always executed", async () => {
    expect(await service.createProject("a")).not.toBe(await service.createProject("a"));
    expect(await effects()).toBe(2);
    expect(await documents()).toEqual([]);
  });

  it("also work for single writes", async () => {
    const options = { headers: { "idempotency-key": "key" } };
    const first = await service.identities.createUser({ name: "a" }, options);
    expect(await service.identities.createUser({ name: "a" }, options)).toEqual(first);
    await service.identities.createUser({ name: "a" });
    expect(await effects()).toBe(2);
  });

  it("reject another message or another method", async () => {
    await service.createProject("a", "key");
    expect(await service.createProject("b", "key")).toBe("IDEMPOTENCY_KEY_REUSED");
    const asUser = service.identities.createUser({ name: "a" }, { headers: { "idempotency-key": "key" } });
    expect(await asUser.catch((error: unknown) => getProblemFacts(error).reason)).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(await effects()).toBe(1);
  });

  it("are separate for each token", async () => {
    const first = await service.createProject("a", "key", "tok_1");
    const second = await service.createProject("b", "key", "tok_2");
    expect(await service.createProject("a", "key", "tok_1")).toBe(`replayed ${first}`);
    expect(await service.createProject("b", "key", "tok_2")).toBe(`replayed ${second}`);
  });

  it("have one effect and one response for concurrent requests", async () => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => service.createProject("a", "key")));
    const made = outcomes.filter((outcome) => outcome.startsWith("eff_"));
    expect(made).toHaveLength(1);
    for (const outcome of outcomes) {
      expect([made[0], `replayed ${made[0]}`, "IDEMPOTENCY_KEY_IN_USE"]).toContain(outcome);
    }
    expect(await service.createProject("a", "key")).toBe(`replayed ${made[0]}`);
    expect(await effects()).toBe(1);
  });

  it.each(["before", "after"] as const)("are in use until the response is returned, %s the effect", async (moment) => {
    const { reached, proceed } = pauseAt(moment);
    const first = service.createProject("a", "key");
    await reached;
    expect(await service.createProject("a", "key")).toBe("IDEMPOTENCY_KEY_IN_USE");
    expect(await service.createProject("b", "key")).toBe("IDEMPOTENCY_KEY_REUSED");
    proceed();
    const response = await first;
    expect(await service.createProject("a", "key")).toBe(`replayed ${response}`);
    expect(await effects()).toBe(1);
  });

  it("are released after a failure", async () => {
    expect(await service.createProject("bad", "key")).toBe("INVALID_REQUEST");
    expect(await documents()).toEqual([]);
    expect(await service.createProject("good", "key")).toMatch(/^eff_/);
    expect(await effects()).toBe(1);
  });

  it("are committed together with the effect", async () => {
    moments.within = (session) => {
      delete moments.within;
      session.commitTransaction = () => Promise.reject(new Error("the connection broke"));
    };
    expect(await service.createProject("a", "key")).toBe("INTERNAL");
    expect([await effects(), await documents()]).toEqual([0, []]);
    expect(await service.createProject("a", "key")).toMatch(/^eff_/);
    expect(await effects()).toBe(1);
  });

  it("are kept with an effect whose call failed afterwards", async () => {
    moments.after = () => Promise.reject(new Error("too late"));
    expect(await service.createProject("a", "key")).toBe("INTERNAL");
    expect(await service.createProject("a", "key")).toMatch(/^replayed eff_\w+ as it was made$/);
    expect(await effects()).toBe(1);
  });

  /** Expects that a repeated call takes over the key of a lost call, which then has no effect. */
  async function expectTakenOver(lost: Promise<string>, proceed: () => void): Promise<void> {
    const second = await service.createProject("a", "key");
    expect(second).toMatch(/^eff_/);
    proceed();
    expect(await lost).toBe("IDEMPOTENCY_KEY_IN_USE");
    expect(await service.createProject("a", "key")).toBe(`replayed ${second}`);
    expect(await effects()).toBe(1);
  }

  it("are taken over from a lost call, which then has no effect", async () => {
    const { reached, proceed } = pauseAt("before");
    const lost = service.createProject("a", "key");
    await reached;
    time += leaseMs;
    await expectTakenOver(lost, proceed);
  });

  it("are taken over at once by the only running process, but not from its own calls", async () => {
    const alone = await connectStorage({ ...where(), keyLeaseMs: leaseMs, exclusive: true });
    try {
      const { createProject } = serveKeyed(alone, { before: async (name) => moments.before?.(name) });
      const first = pauseAt("before");
      const lost = service.createProject("a", "key");
      await first.reached;
      const second = pauseAt("before");
      const taken = createProject("a", "key");
      await Promise.race([second.reached, taken]);
      expect(await createProject("a", "key")).toBe("IDEMPOTENCY_KEY_IN_USE");
      second.proceed();
      expect(await taken).toMatch(/^eff_/);
      first.proceed();
      expect(await lost).toBe("IDEMPOTENCY_KEY_IN_USE");
      expect(await createProject("a", "key")).toBe(`replayed ${await taken}`);
      expect(await effects()).toBe(1);
    } finally {
      await alone.close();
    }
  });

  it("are not in use for longer if the clock is set back", async () => {
    const hour = 3_600_000;
    const { reached, proceed } = pauseAt("before");
    const lost = service.createProject("a", "key");
    await reached;
    // The clock of another machine may be slightly ahead.
    time -= 30_000;
    expect(await service.createProject("a", "key")).toBe("IDEMPOTENCY_KEY_IN_USE");
    time -= hour;
    await expectTakenOver(lost, proceed);
  });

  it("are in use while the effect of a lost call may still be committed", async () => {
    const { reached, proceed } = pauseAt("before");
    const lost = service.createProject("a", "key");
    await reached;
    time += leaseMs;
    const session = await storage.connection.startSession();
    session.startTransaction();
    const keys = storage.connection.collection("idempotency_keys");
    await keys.updateOne({ key: "key" }, { $set: { done: true } }, { session });
    expect(await service.createProject("a", "key")).toBe("IDEMPOTENCY_KEY_IN_USE");
    await session.abortTransaction();
    await session.endSession();
    expect(await service.createProject("a", "key")).toMatch(/^eff_/);
    proceed();
    expect(await lost).toBe("IDEMPOTENCY_KEY_IN_USE");
    expect(await effects()).toBe(1);
  });

  it("return the result of the effect for a call that was lost afterwards", async () => {
    const { reached, proceed } = pauseAt("after");
    const lost = service.createProject("a", "key");
    await reached;
    time += leaseMs;
    expect(await service.createProject("a", "key")).toMatch(/^replayed eff_\w+ as it was made$/);
    proceed();
    expect(await lost).toMatch(/^eff_/);
    expect(await effects()).toBe(1);
  });

  it("are in use while the call renews its lease", async () => {
    const short = 300;
    const other = await connectStorage({ ...where(), keyLeaseMs: short });
    const { createProject } = serveKeyed(other, { before: async (name) => moments.before?.(name) });
    const { reached, proceed } = pauseAt("before");
    const first = createProject("a", "key");
    await reached;
    time += short - 1;
    const extended = async () => (await documents())[0]?.["leaseUntil"].getTime() === time + short;
    for (const deadline = Date.now() + 60_000; !(await extended()) && Date.now() < deadline;) await sleep(20);
    time += short - 1;
    expect(await createProject("a", "key")).toBe("IDEMPOTENCY_KEY_IN_USE");
    proceed();
    expect(await first).toMatch(/^eff_/);
    await other.close();
  });

  it("are kept for 24 hours", async () => {
    const first = await service.createProject("a", "key");
    time += day - 1;
    expect(await service.createProject("a", "key")).toBe(`replayed ${first}`);
    expect(await service.createProject("b", "key")).toBe("IDEMPOTENCY_KEY_REUSED");
    time += 1;
    const second = await service.createProject("b", "key");
    expect(second).toMatch(/^eff_/);
    expect(await service.createProject("b", "key")).toBe(`replayed ${second}`);
  });

  it("are removed by the database when they expire", async () => {
    const indexes = await storage.connection.collection("idempotency_keys").listIndexes().toArray();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expiresAt: 1 }, expireAfterSeconds: 0 }));
  });

  it("never store a secret", async () => {
    const options = { headers: { "idempotency-key": "key" } };
    const issued = await service.identities.createToken({ name: "a" }, options);
    expect(issued.secret).toBe("swo_secret");
    const again = service.identities.createToken({ name: "a" }, options);
    expect(await again.catch((error: unknown) => getProblemFacts(error).reason)).toBe("SECRET_ALREADY_ISSUED");
    expect(await documents()).toEqual([expect.objectContaining({ response: null, done: true })]);
    expect(await effects()).toBe(1);
  });

  it("identify a file by its bytes, in any number of messages", async () => {
    const first = await service.upload("a.txt", ["one", "two", "three"], "key");
    expect(first).toMatch(/^eff_/);
    expect(await service.upload("a.txt", ["onetwothree"], "key")).toBe(`replayed ${first}`);
    expect(await service.upload("a.txt", ["onetwo", "threE"], "key")).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(await service.upload("b.txt", ["onetwothree"], "key")).toBe("IDEMPOTENCY_KEY_REUSED");
    expect(JSON.stringify(await documents())).not.toContain("three");
    expect(await effects()).toBe(1);
  });

  it("cause an error in a method that does not store its response with the effect", async () => {
    const made = service.identities.createTeam({ name: "a" }, { headers: { "idempotency-key": "key" } });
    expect(await made.catch((error: unknown) => getProblemFacts(error).reason)).toBe("INTERNAL");
    await service.identities.createTeam({ name: "a" });
  });

  it("cause no database operation for a request without one", async () => {
    const operations: string[] = [];
    storage.connection.set("debug", (collection: string, operation: string) => {
      operations.push(`${collection}.${operation}`);
    });
    await service.createProject("a");
    await service.identities.createUser({ name: "a" });
    expect(operations).toEqual(["effects.insertOne", "effects.insertOne"]);
    operations.length = 0;
    await service.createProject("a", "key");
    const keys = ["insertOne", "updateOne", "updateOne"].map((operation) => `idempotency_keys.${operation}`);
    expect(operations).toEqual([keys[0], "effects.insertOne", keys[1], keys[2]]);
  });
}
