import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createLogger } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createExtractionStore } from "../../store/extractions.ts";
import type { ExtractionRecord, ExtractionStore, Failure } from "../../store/extractions.ts";
import type { AttemptResult } from "../engines/extraction.ts";
import type { FileRecord } from "../../store/files.ts";
import type { CompletedResult, NewExtraction } from "./new-extraction.ts";
import { createRunner } from "./runner.ts";
import type { Runner, RunnerDependencies } from "./runner.ts";
import { defaultSettings } from "../settings.ts";
import { useSurroundings } from "../../testing/system.ts";

const surroundings = useSurroundings();
let storage: Storage;
let extractions: ExtractionStore;
let runners: Runner[];
let time: number;

describe("the runner of extractions", () => {
  beforeEach(async () => {
    storage = await connectStorage({ uri: surroundings.uri, database: newId("test") });
    extractions = createExtractionStore(storage.connection);
    await storage.ready();
    runners = [];
    time = Date.now();
  });
  afterEach(async () => {
    await Promise.all(runners.map((runner) => runner.stop()));
    await storage.close();
  });

  type Attempt = (
    extraction: ExtractionRecord,
    signal: AbortSignal,
    leaveSlot: () => void,
  ) => Promise<AttemptResult | { busy: Failure }>;

  function runnerNamed(
    owner: string,
    attempt: Attempt,
    changes: Partial<typeof defaultSettings> = {},
    exclusive = false,
  ): Runner {
    const logger = createLogger({ name: "test", level: "silent" });
    const settings = { ...defaultSettings, ...changes };
    // Like a real attempt, this one ends with the runner, even if the test's attempt is still pending.
    const ending: RunnerDependencies["attempt"] = (extraction, { signal, leaveSlot }) => {
      const ended = new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped"))),
      );
      return Promise.race([attempt(extraction, signal, leaveSlot), ended]);
    };
    const runner = createRunner({ owner, extractions, attempt: ending, logger, now: () => time, settings, exclusive });
    runners.push(runner);
    return runner;
  }

  /** Returns a new extraction, with the first lease of the runner. */
  function toRecord(runner: Runner): ExtractionRecord {
    return {
      _id: newId("ext"),
      fileId: "fil_1",
      projectId: "prj_1",
      organizationId: "org_1",
      modelId: "mdl_1",
      deploymentId: null,
      schemaId: "sch_1",
      status: ExtractionStatus.RUNNING,
      error: null,
      ...runner.firstLease(),
      createdAt: new Date(time),
      createdBy: "usr_1",
      completedAt: null,
    };
  }

  /** Stores a new extraction as the service does. */
  async function store(record: ExtractionRecord, result?: CompletedResult): Promise<ExtractionRecord> {
    await storage.atomically((session) =>
      result === undefined
        ? extractions.insert([record], session)
        : extractions.insertCompleted([{ extraction: record, ...result }], session),
    );
    return record;
  }

  const inserted = (runner: Runner): Promise<ExtractionRecord> => store(toRecord(runner));

  function completed(text: string): AttemptResult {
    return { outcome: { tables: Buffer.from(text) } };
  }

  const failed: AttemptResult = {
    again: { code: "EXTRACTION_FAILED", message: "It broke." },
    cause: new Error("broken"),
  };

  async function toResult(id: string): Promise<string> {
    return Buffer.from((await extractions.getTables(id)) ?? []).toString();
  }

  /** Creates a promise, and a function that resolves it. */
  function later<Value>(): { promise: Promise<Value>; keep: (value: Value) => void } {
    let keep: (value: Value) => void = () => undefined;
    const promise = new Promise<Value>((resolve) => (keep = resolve));
    return { promise, keep };
  }

  const until = (condition: () => Promise<boolean>) => vi.waitUntil(condition, { timeout: 60_000, interval: 10 });

  it("takes over an extraction with an expired lease, and rejects a late result of the previous owner", async () => {
    const result = later<AttemptResult>();
    const formerOwner = runnerNamed("former owner", () => result.promise);
    const successor = runnerNamed("successor", () => Promise.resolve(completed("of the successor")));
    const extraction = await inserted(formerOwner);
    const late = formerOwner.run(extraction);
    await successor.sweep();
    expect(await extractions.find(extraction._id)).toMatchObject({
      attempts: 1,
      lease: { owner: "former owner", fence: 1 },
    });
    time += defaultSettings.leaseMs + 1;
    await successor.sweep();
    await until(async () => (await extractions.find(extraction._id))?.status === ExtractionStatus.COMPLETED);
    result.keep(completed("of the former owner"));
    await late;
    expect(await toResult(extraction._id)).toBe("of the successor");
    expect(await extractions.find(extraction._id)).toMatchObject({
      attempts: 2,
      lease: { owner: "successor", fence: 2 },
    });
  });

  it("takes over the extractions of stopped processes at once if it is the only runner, and keeps its own", async () => {
    const never = (): Promise<AttemptResult> => new Promise(() => undefined);
    const left = await inserted(runnerNamed("dead", never));
    const begun: string[] = [];
    const note = async ({ _id }: ExtractionRecord): Promise<AttemptResult> => {
      begun.push(_id);
      return never();
    };
    const successor = runnerNamed("successor", note, {}, true);
    const own = await inserted(successor);
    void successor.run(own);
    await successor.sweep();
    await until(async () => begun.length === 2);
    expect(begun.sort()).toEqual([own._id, left._id].sort());
    expect(await extractions.find(left._id)).toMatchObject({ attempts: 2, lease: { owner: "successor", fence: 2 } });
    expect(await extractions.find(own._id)).toMatchObject({ attempts: 1, lease: { owner: "successor", fence: 1 } });
    // Only extractions from before the start are taken over: later ones belong to running processes.
    const later = await inserted(runnerNamed("later", never));
    await successor.sweep();
    expect(await extractions.find(later._id)).toMatchObject({ lease: { owner: "later", fence: 1 } });
  });

  it("does not wait for a lease from before the clock was set back", async () => {
    const left = await inserted(runnerNamed("dead", () => new Promise(() => undefined)));
    const successor = runnerNamed("successor", () => Promise.resolve(completed("of the successor")));
    time -= 3_600_000;
    await successor.sweep();
    await until(async () => (await extractions.find(left._id))?.status === ExtractionStatus.COMPLETED);
  });

  it("rejects a late result while the new owner still works", async () => {
    const [first, second] = [later<AttemptResult>(), later<AttemptResult>()];
    const formerOwner = runnerNamed("former owner", () => first.promise);
    const successor = runnerNamed("successor", () => second.promise);
    const extraction = await inserted(formerOwner);
    const late = formerOwner.run(extraction);
    time += defaultSettings.leaseMs + 1;
    await successor.sweep();
    first.keep(completed("of the former owner"));
    await late;
    expect((await extractions.find(extraction._id))?.status).toBe(ExtractionStatus.RUNNING);
    second.keep(completed("of the successor"));
    await until(async () => (await extractions.find(extraction._id))?.status === ExtractionStatus.COMPLETED);
    expect(await toResult(extraction._id)).toBe("of the successor");
  });

  it("assigns an extraction to only one of several runners", async () => {
    let count = 0;
    const attempt = async () => {
      count += 1;
      return completed("once");
    };
    const abandoned = await inserted(runnerNamed("gone", attempt));
    time += defaultSettings.leaseMs + 1;
    await Promise.all(["a", "b", "c", "d"].map((owner) => runnerNamed(owner, attempt).sweep()));
    await until(async () => (await extractions.find(abandoned._id))?.status === ExtractionStatus.COMPLETED);
    expect(count).toBe(1);
  });

  it("renews its lease while it works", async () => {
    const result = later<AttemptResult>();
    const worker = runnerNamed("worker", () => result.promise, { heartbeatIntervalMs: 5 });
    worker.start();
    const extraction = await inserted(worker);
    const running = worker.run(extraction);
    time += defaultSettings.leaseMs - 1;
    const kept = time + defaultSettings.leaseMs;
    await until(async () => (await extractions.find(extraction._id))?.lease.until.getTime() === kept);
    time += 2;
    await runnerNamed("other", () => Promise.resolve(completed("other"))).sweep();
    result.keep(completed("worker"));
    await running;
    expect(await toResult(extraction._id)).toBe("worker");
  });

  it("retries after a failure with increasing delays, and gives up after three attempts", async () => {
    const runner = runnerNamed("worker", () => Promise.resolve(failed));
    const extraction = await inserted(runner);
    await runner.run(extraction);
    const state = async () => {
      const record = await extractions.find(extraction._id);
      return { status: record?.status, attempts: record?.attempts, error: record?.error?.code };
    };
    expect(await state()).toEqual({ status: ExtractionStatus.RUNNING, attempts: 1, error: undefined });
    await runner.sweep();
    expect((await state()).attempts).toBe(1);
    time += 1_001;
    await runner.sweep();
    await until(async () => (await extractions.find(extraction._id))?.lease.owner === "");
    expect((await state()).attempts).toBe(2);
    time += 1_001;
    await runner.sweep();
    expect((await state()).attempts).toBe(2);
    time += 1_000;
    await runner.sweep();
    await until(async () => (await state()).status === ExtractionStatus.FAILED);
    expect(await state()).toEqual({ status: ExtractionStatus.FAILED, attempts: 3, error: "EXTRACTION_FAILED" });
  });

  it("fails an extraction whose attempts were lost three times", async () => {
    const extraction = await inserted(runnerNamed("lost", () => new Promise(() => undefined)));
    for (const owner of ["second", "third"]) {
      time += defaultSettings.leaseMs + 1;
      const until = new Date(time + defaultSettings.leaseMs);
      expect(await extractions.acquire(extraction._id, owner, new Date(time), until)).not.toBeNull();
    }
    time += defaultSettings.leaseMs + 1;
    await runnerNamed("last", () => Promise.resolve(completed("too late"))).sweep();
    const record = await extractions.find(extraction._id);
    expect(record).toMatchObject({ status: ExtractionStatus.FAILED, error: { code: "EXTRACTION_LOST" } });
  });

  it("releases unfinished extractions when it stops, without counting the attempt", async () => {
    const stopped = runnerNamed("stopped", () => new Promise(() => undefined));
    const begun = await Promise.all([1, 2, 3].map(() => inserted(stopped)));
    const running = begun.map((extraction) => stopped.run(extraction));
    await stopped.stop();
    await Promise.all(running);
    for (const { _id } of begun) {
      expect(await extractions.find(_id)).toMatchObject({ status: ExtractionStatus.RUNNING, attempts: 0 });
    }
    time += 1;
    await runnerNamed("next", () => Promise.resolve(completed("done"))).sweep();
    await until(async () => {
      const statuses = await extractions.getStatuses(begun.map(({ _id }) => _id));
      return [...statuses.values()].every((status) => status === ExtractionStatus.COMPLETED);
    });
  });

  it("works on others while an extraction waits for a language model, which holds no slot", async () => {
    const answer = later<AttemptResult>();
    const runner = runnerNamed(
      "one",
      (extraction, _, leaveSlot) => {
        if (extraction.fileId !== "fil_waiting") return Promise.resolve(completed("local"));
        leaveSlot();
        return answer.promise;
      },
      { parallel: 1 },
    );
    const waiting = { ...(await inserted(runner)), fileId: "fil_waiting" };
    const usage = { inputTokens: 7, outputTokens: 2, cost: null };
    const waited = runner.run(waiting);
    for (let others = 0; others < 3; others += 1) {
      const { record } = (await runner.run(await inserted(runner))) ?? {};
      expect(record?.status).toBe(ExtractionStatus.COMPLETED);
    }
    answer.keep({ outcome: { error: { code: "ENGINE_TIMEOUT", message: "Too late." }, usage } });
    expect((await waited)?.record).toMatchObject({ status: ExtractionStatus.FAILED, usage });
    expect(await extractions.find(waiting._id)).toMatchObject({ error: { code: "ENGINE_TIMEOUT" }, usage });
  });

  it("begins later, without counting an attempt, what too many others wait for already", async () => {
    let busy = true;
    const failure = { code: "ENGINE_UNREACHABLE", message: "Too many wait." } as const;
    const runner = runnerNamed("one", () => Promise.resolve(busy ? { busy: failure } : completed("later")));
    const extraction = await inserted(runner);
    expect(await runner.run(extraction)).toBeUndefined();
    const found = await extractions.find(extraction._id);
    expect(found).toMatchObject({ status: ExtractionStatus.RUNNING, attempts: 0, lease: { owner: "" } });
    expect(found?.lease.until.getTime()).toBe(time + defaultSettings.busyRetryMs);
    busy = false;
    time += defaultSettings.busyRetryMs + 1;
    await runner.sweep();
    await until(async () => (await extractions.find(extraction._id))?.status === ExtractionStatus.COMPLETED);
    expect(await toResult(extraction._id)).toBe("later");
  });

  it("leaves extractions that exceed its queue to the sweep", async () => {
    const result = later<AttemptResult>();
    const runner = runnerNamed("worker", () => result.promise, { parallel: 1, queueLength: 1 });
    const taken = [await inserted(runner)];
    void runner.run(taken[0]!);
    taken.push(await inserted(runner));
    void runner.run(taken[1]!);
    const above = await inserted(runner);
    expect(above).toMatchObject({ attempts: 0, lease: { owner: "" } });
    await runner.sweep();
    expect((await extractions.find(above._id))?.attempts).toBe(0);
    result.keep(completed("done"));
    await until(async () => (await extractions.find(taken[1]!._id))?.status === ExtractionStatus.COMPLETED);
    await until(async () => {
      await runner.sweep();
      return (await extractions.find(above._id))?.status === ExtractionStatus.COMPLETED;
    });
  });

  describe("and new extractions", () => {
    /** Returns an extraction that is not stored yet, and the states in which it was stored. */
    function toNew(
      runner: Runner,
      storing: (...arguments_: Parameters<typeof store>) => Promise<ExtractionRecord | undefined> = store,
    ): { extraction: NewExtraction; stored: string[] } {
      const stored: string[] = [];
      const record = toRecord(runner);
      const extraction: NewExtraction = {
        record,
        file: { _id: "fil_1" } as FileRecord,
        store: (result) => {
          stored.push(result === undefined ? "running" : "completed");
          return storing(record, result);
        },
      };
      return { extraction, stored };
    }

    it("stores them together with values that are found soon", async () => {
      const runner = runnerNamed("one", () => Promise.resolve(completed("soon")));
      const { extraction, stored } = toNew(runner);
      const run = runner.runNew(extraction);
      // A retry waits for the same attempt.
      expect(runner.runNew(extraction)).toBe(run);
      await runner.settleStore(extraction.record._id);
      const found = await extractions.find(extraction.record._id);
      expect(found).toMatchObject({ status: ExtractionStatus.COMPLETED, attempts: 1, completedAt: new Date(time) });
      expect((await run.ended)?.record).toMatchObject({ status: ExtractionStatus.COMPLETED });
      expect(await toResult(extraction.record._id)).toBe("soon");
      expect(stored).toEqual(["completed"]);
    });

    it("stores them while the attempt continues if it takes long", async () => {
      const result = later<AttemptResult>();
      const runner = runnerNamed("one", () => result.promise, { storeAfterMs: 5 });
      const { extraction, stored } = toNew(runner);
      const run = runner.runNew(extraction);
      await run.stored;
      const running = { status: ExtractionStatus.RUNNING, attempts: 1, lease: { owner: "one" } };
      expect(await extractions.find(extraction.record._id)).toMatchObject(running);
      result.keep(completed("late"));
      expect((await run.ended)?.record).toMatchObject({ status: ExtractionStatus.COMPLETED });
      expect(await toResult(extraction.record._id)).toBe("late");
      expect(stored).toEqual(["running"]);
    });

    it("stores them before they fail, and before they are attempted again", async () => {
      const failure: AttemptResult = { outcome: { error: { code: "UNREADABLE_FILE", message: "Damaged." } } };
      const [failing, retried] = [failure, failed].map((result, n) => {
        const runner = runnerNamed(`runner ${n}`, () => Promise.resolve(result));
        const { extraction } = toNew(runner);
        return { id: extraction.record._id, run: runner.runNew(extraction) };
      });
      expect((await failing?.run.ended)?.record).toMatchObject({ status: ExtractionStatus.FAILED });
      expect(await extractions.find(failing?.id ?? "")).toMatchObject({ error: { code: "UNREADABLE_FILE" } });
      expect(await retried?.run.ended).toBeUndefined();
      const released = { status: ExtractionStatus.RUNNING, attempts: 1, lease: { owner: "" } };
      expect(await extractions.find(retried?.id ?? "")).toMatchObject(released);
    });

    it("stores them when it stops, and leaves them to the next runner", async () => {
      const runner = runnerNamed("stopped", () => new Promise(() => undefined), { storeAfterMs: 600_000 });
      const { extraction } = toNew(runner);
      const run = runner.runNew(extraction);
      await runner.stop();
      expect(await run.ended).toBeUndefined();
      const released = { status: ExtractionStatus.RUNNING, attempts: 0 };
      expect(await extractions.find(extraction.record._id)).toMatchObject(released);
    });

    it("abandons an attempt whose extraction cannot be stored, so that others can begin", async () => {
      const runner = runnerNamed(
        "one",
        ({ fileId }) => (fileId === "fil_refused" ? new Promise(() => undefined) : Promise.resolve(completed("next"))),
        { parallel: 1, storeAfterMs: 5 },
      );
      const { extraction } = toNew(runner, () => Promise.reject(new Error("The project was deleted.")));
      const refused = runner.runNew({ ...extraction, record: { ...extraction.record, fileId: "fil_refused" } });
      await expect(refused.stored).rejects.toThrow("The project was deleted.");
      const next = runner.runNew(toNew(runner).extraction);
      expect((await next.ended)?.record.status).toBe(ExtractionStatus.COMPLETED);
      await runner.settleStore(extraction.record._id);
      expect(await refused.ended).toBeUndefined();
    });

    it("ends without a result if they cannot be stored, or were stored before", async () => {
      const runner = runnerNamed("one", () => Promise.resolve(completed("lost")));
      const refused = runner.runNew(
        toNew(runner, () => Promise.reject(new Error("The project was deleted."))).extraction,
      );
      await expect(refused.stored).rejects.toThrow("The project was deleted.");
      expect(await refused.ended).toBeUndefined();
      const known = runner.runNew(toNew(runner, () => Promise.resolve(undefined)).extraction);
      await known.stored;
      expect(await known.ended).toBeUndefined();
    });
  });
});
