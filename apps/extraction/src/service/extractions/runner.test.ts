import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createLogger } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import type { Storage } from "@switchyard/storage";
import { createExtractionStore } from "../../store/extractions.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import type { AttemptResult } from "./attempt.ts";
import { createRunner } from "./runner.ts";
import type { Runner } from "./runner.ts";
import { defaultSettings } from "../settings.ts";
import { startSurroundings } from "../../testing/system.ts";
import type { Surroundings } from "../../testing/system.ts";

let surroundings: Surroundings;
let storage: Storage;
let extractions: ExtractionStore;
let runners: Runner[];
let time: number;

beforeAll(async () => {
  surroundings = await startSurroundings();
}, 120_000);
afterAll(() => surroundings.close());
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

type Attempt = (extraction: ExtractionRecord, signal: AbortSignal) => Promise<AttemptResult>;

function runnerNamed(
  owner: string,
  attempt: Attempt,
  changes: Partial<typeof defaultSettings> = {},
  alone = false,
): Runner {
  const logger = createLogger({ name: "test", level: "silent" });
  const settings = { ...defaultSettings, ...changes };
  // As the real one does, an attempt ends with the runner, whatever a test left open.
  const ending: Attempt = (extraction, signal) => {
    const ended = new Promise<never>((_, reject) =>
      signal.addEventListener("abort", () => reject(new Error("stopped"))),
    );
    return Promise.race([attempt(extraction, signal), ended]);
  };
  const runner = createRunner({ owner, extractions, attempt: ending, logger, now: () => time, settings, alone });
  runners.push(runner);
  return runner;
}

/** A new extraction, as the runner begins it. */
async function inserted(runner: Runner): Promise<ExtractionRecord> {
  const record: ExtractionRecord = {
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
  await storage.atomically((session) => extractions.insert(record, session));
  return record;
}

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

/** A promise to be kept from outside. */
function later<Value>(): { promise: Promise<Value>; keep: (value: Value) => void } {
  let keep: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((resolve) => (keep = resolve));
  return { promise, keep };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("not in time");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it("takes over what another left, and refuses the other's late result", async () => {
  const answer = later<AttemptResult>();
  const zombie = runnerNamed("zombie", () => answer.promise);
  const heir = runnerNamed("heir", () => Promise.resolve(completed("of the heir")));
  const extraction = await inserted(zombie);
  const late = zombie.run(extraction);
  await heir.sweep();
  expect(await extractions.find(extraction._id)).toMatchObject({ attempts: 1, lease: { owner: "zombie", fence: 1 } });
  time += defaultSettings.leaseMs + 1;
  await heir.sweep();
  await until(async () => (await extractions.find(extraction._id))?.status === ExtractionStatus.COMPLETED);
  answer.keep(completed("of the zombie"));
  await late;
  expect(await toResult(extraction._id)).toBe("of the heir");
  expect(await extractions.find(extraction._id)).toMatchObject({ attempts: 2, lease: { owner: "heir", fence: 2 } });
});

it("takes at once what others held when it knows that they are gone, and keeps its own", async () => {
  const never = (): Promise<AttemptResult> => new Promise(() => undefined);
  const left = await inserted(runnerNamed("dead", never));
  const begun: string[] = [];
  const note = async ({ _id }: ExtractionRecord): Promise<AttemptResult> => {
    begun.push(_id);
    return never();
  };
  const heir = runnerNamed("heir", note, {}, true);
  const own = await inserted(heir);
  void heir.run(own);
  await heir.sweep();
  await until(async () => begun.length === 2);
  expect(begun.sort()).toEqual([own._id, left._id].sort());
  expect(await extractions.find(left._id)).toMatchObject({ attempts: 2, lease: { owner: "heir", fence: 2 } });
  expect(await extractions.find(own._id)).toMatchObject({ attempts: 1, lease: { owner: "heir", fence: 1 } });
  // Only what there was at the beginning: whoever comes later is alive.
  const later = await inserted(runnerNamed("later", never));
  await heir.sweep();
  expect(await extractions.find(later._id)).toMatchObject({ lease: { owner: "later", fence: 1 } });
});

it("waits for no lease of before the clock was set back", async () => {
  const left = await inserted(runnerNamed("dead", () => new Promise(() => undefined)));
  const heir = runnerNamed("heir", () => Promise.resolve(completed("of the heir")));
  time -= 3_600_000;
  await heir.sweep();
  await until(async () => (await extractions.find(left._id))?.status === ExtractionStatus.COMPLETED);
});

it("refuses a late result also while the heir still works", async () => {
  const [first, second] = [later<AttemptResult>(), later<AttemptResult>()];
  const zombie = runnerNamed("zombie", () => first.promise);
  const heir = runnerNamed("heir", () => second.promise);
  const extraction = await inserted(zombie);
  const late = zombie.run(extraction);
  time += defaultSettings.leaseMs + 1;
  await heir.sweep();
  first.keep(completed("of the zombie"));
  await late;
  expect((await extractions.find(extraction._id))?.status).toBe(ExtractionStatus.RUNNING);
  second.keep(completed("of the heir"));
  await until(async () => (await extractions.find(extraction._id))?.status === ExtractionStatus.COMPLETED);
  expect(await toResult(extraction._id)).toBe("of the heir");
});

it("gives one extraction to one of several runners", async () => {
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

it("keeps its lease while it works", async () => {
  const answer = later<AttemptResult>();
  const worker = runnerNamed("worker", () => answer.promise, { heartbeatIntervalMs: 5 });
  worker.start();
  const extraction = await inserted(worker);
  const running = worker.run(extraction);
  time += defaultSettings.leaseMs - 1;
  const kept = time + defaultSettings.leaseMs;
  await until(async () => (await extractions.find(extraction._id))?.lease.until.getTime() === kept);
  time += 2;
  await runnerNamed("other", () => Promise.resolve(completed("other"))).sweep();
  answer.keep(completed("worker"));
  await running;
  expect(await toResult(extraction._id)).toBe("worker");
});

it("tries again after a failure, later each time, and gives up after three attempts", async () => {
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

it("ends what was begun three times and lost every time", async () => {
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

it("hands back at its stop what it has not finished, as if it had not begun", async () => {
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

it("leaves to the sweep what is more than its queue holds", async () => {
  const answer = later<AttemptResult>();
  const runner = runnerNamed("worker", () => answer.promise, { parallel: 1, queueLength: 1 });
  const taken = [await inserted(runner)];
  void runner.run(taken[0]!);
  taken.push(await inserted(runner));
  void runner.run(taken[1]!);
  const above = await inserted(runner);
  expect(above).toMatchObject({ attempts: 0, lease: { owner: "" } });
  await runner.sweep();
  expect((await extractions.find(above._id))?.attempts).toBe(0);
  answer.keep(completed("done"));
  await until(async () => (await extractions.find(taken[1]!._id))?.status === ExtractionStatus.COMPLETED);
  await until(async () => {
    await runner.sweep();
    return (await extractions.find(above._id))?.status === ExtractionStatus.COMPLETED;
  });
});
