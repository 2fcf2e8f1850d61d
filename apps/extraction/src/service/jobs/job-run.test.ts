import { Code } from "@connectrpc/connect";
import { ExtractionStatus } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { JobStatus } from "@switchyard/contracts/switchyard/extraction/v1/jobs";
import { createLogger, problem } from "@switchyard/rpc";
import { connectStorage, createUnheldLease, newId } from "@switchyard/storage";
import type { LeaseWorker, Storage } from "@switchyard/storage";
import { eventually } from "@switchyard/storage/testing";
import { createExtractionStore } from "../../store/extractions.ts";
import type { ExtractionRecord, ExtractionStore } from "../../store/extractions.ts";
import { createFileStore } from "../../store/files.ts";
import type { FileStore } from "../../store/files.ts";
import { createJobStore } from "../../store/jobs.ts";
import type { JobRecord, JobStore } from "../../store/jobs.ts";
import { useSurroundings } from "../../testing/system.ts";
import { createRunner } from "../extractions/runner.ts";
import type { Runner } from "../extractions/runner.ts";
import { defaultSettings } from "../settings.ts";
import type { ServiceSettings } from "../settings.ts";
import { createJobRun } from "./job-run.ts";
import type { JobRunDependencies } from "./job-run.ts";
import { createJobWorker } from "./job-worker.ts";

const surroundings = useSurroundings();
const logger = createLogger({ name: "test", level: "silent" });
const quick = { sweepIntervalMs: 20, heartbeatIntervalMs: 20, retryMs: 1 };

describe("a job", () => {
  let storage: Storage;
  let [jobs, extractions, files]: [JobStore?, ExtractionStore?, FileStore?] = [];
  let stops: (() => Promise<void>)[];
  let time: number;
  /** The number of attempts by file. */
  let attempts: Map<string, number>;
  beforeEach(async () => {
    storage = await connectStorage({ uri: surroundings.uri, database: newId("test") });
    [jobs, extractions, files] = [
      createJobStore(storage.connection),
      createExtractionStore(storage.connection),
      createFileStore(storage.connection),
    ];
    await storage.ready();
    [stops, time, attempts] = [[], Date.now(), new Map()];
  });
  afterEach(async () => {
    await Promise.all(stops.map((stop) => stop()));
    await storage.close();
  });

  const getStores = () => ({
    jobs: jobs as JobStore,
    extractions: extractions as ExtractionStore,
    files: files as FileStore,
  });

  /** Starts a process: a runner and a worker of jobs. `attempt` is called for each attempt at an extraction. */
  function startProcess(
    attempt: (extraction: ExtractionRecord) => Promise<void> = async () => undefined,
    changes: Partial<ServiceSettings> = {},
    getSchema: () => Promise<object> = async () => ({}),
  ): { runner: Runner; worker: LeaseWorker } {
    const settings = { ...defaultSettings, ...quick, ...changes };
    const stores = getStores();
    const now = () => time;
    const runner = createRunner({
      owner: newId("run"),
      extractions: stores.extractions,
      async attempt(extraction, { signal }) {
        attempts.set(extraction.fileId, (attempts.get(extraction.fileId) ?? 0) + 1);
        const stopped = new Promise<never>((_, reject) =>
          signal.addEventListener("abort", () => reject(new Error("stopped"))),
        );
        await Promise.race([attempt(extraction), stopped]);
        return { outcome: { tables: new Uint8Array() } };
      },
      logger,
      now,
      settings,
    });
    const targets = { getSchema } as unknown as JobRunDependencies["targets"];
    const run = createJobRun({
      ...stores,
      storage,
      deletedProjects: { has: async () => false },
      targets,
      runner,
      logger,
      now,
      settings,
    });
    const worker = createJobWorker({
      owner: newId("run"),
      exclusive: false,
      jobs: stores.jobs,
      run,
      logger,
      now,
      settings,
    });
    runner.start();
    worker.start();
    stops.push(
      () => worker.stop(),
      () => runner.stop(),
    );
    return { runner, worker };
  }

  async function startJob(total: number, stored = total): Promise<JobRecord> {
    const at = new Date(time);
    const record: JobRecord = {
      _id: newId("job"),
      organizationId: "org_1",
      projectId: "prj_1",
      modelId: "mdl_1",
      deploymentId: null,
      schemaId: "sch_1",
      status: JobStatus.RUNNING,
      total,
      done: 0,
      failed: 0,
      lease: createUnheldLease(),
      createdAt: at,
      createdBy: "usr_1",
      progressAt: at,
      completedAt: null,
    };
    const ids = Array.from({ length: total }, (_, index) => `fil_${String(index).padStart(6, "0")}`);
    const toFile = (_id: string) => ({
      ...{ _id, organizationId: "org_1", projectId: "prj_1", filename: "a.txt", contentType: "text/plain" },
      ...{ declaredContentType: "", readingHint: "", size: 1, sha256: _id, reason: null, pageCount: 1 },
      ...{ acceptedFor: [], createdAt: at, createdBy: "usr_1", expiresAt: null },
    });
    await storage.atomically(async (session) => {
      if (stored > 0) await getStores().files.insert(ids.slice(0, stored).map(toFile), session);
      const jobFiles = ids.map((fileId) => ({ fileId, extractionId: newId("ext") }));
      await getStores().jobs.insert(record, jobFiles, session);
    });
    return record;
  }

  const find = (id: string) => getStores().jobs.find(id);
  const ended = (id: string) =>
    eventually("the end of the job", async () => {
      const found = await find(id);
      return found !== null && found.status !== JobStatus.RUNNING ? found : undefined;
    });

  it("extracts each file once, and counts those that are gone as failed", async () => {
    startProcess();
    const { _id } = await startJob(25, 23);
    expect(await ended(_id)).toMatchObject({ status: JobStatus.COMPLETED, total: 25, done: 25, failed: 2 });
    expect([...attempts.values()]).toEqual(Array.from({ length: 23 }, () => 1));
  });

  it("is continued by another process, and no file is extracted twice", async () => {
    let release: () => void = () => undefined;
    const blocked = new Promise<void>((resolve) => (release = resolve));
    let begun = 0;
    // The first process hangs after some files, and does not renew its leases any more.
    const first = startProcess(async () => void ((begun += 1) > 5 && (await blocked)), { heartbeatIntervalMs: 1e9 });
    const { _id } = await startJob(20);
    first.worker.wake();
    await eventually("progress", async () => (begun > 6 ? true : undefined));
    const before = attempts.size;
    expect(before).toBeLessThan(20);
    time += defaultSettings.leaseMs + 1_000;
    startProcess();
    const end = await ended(_id);
    expect(end).toMatchObject({ status: JobStatus.COMPLETED, done: 20, failed: 0 });
    expect(end.lease.fence).toBe(2);
    release();
    // Those that hung were attempted again, by the same extraction. The others were not.
    expect(attempts.size).toBe(20);
    expect([...attempts.values()].filter((count) => count > 1).length).toBeLessThanOrEqual(2);
    const found = await getStores().extractions.list({ projectId: "prj_1", organizationId: "org_1", limit: 100 });
    expect(found.map(({ record }) => record.status)).toEqual(
      Array.from({ length: 20 }, () => ExtractionStatus.COMPLETED),
    );
    expect(new Set(found.map(({ record }) => record.fileId)).size).toBe(20);
  });

  it("fails if its schema is gone", async () => {
    startProcess(undefined, {}, async () => {
      throw problem(Code.NotFound, "SCHEMA_NOT_FOUND", "gone");
    });
    const { _id } = await startJob(3);
    expect(await ended(_id)).toMatchObject({ status: JobStatus.FAILED, done: 0 });
    expect(attempts.size).toBe(0);
  });

  it("fails if no file is finished for too long", async () => {
    startProcess(() => new Promise(() => undefined), { jobStallTimeoutMs: 1_000 });
    const { _id } = await startJob(3);
    await eventually("the first attempt", async () => (attempts.size > 0 ? true : undefined));
    time += 1_500;
    expect(await ended(_id)).toMatchObject({ status: JobStatus.FAILED, done: 0 });
  });

  it("stops when it is cancelled or removed, and forgets its files", async () => {
    const { worker } = startProcess(() => new Promise(() => undefined));
    const [one, other] = [await startJob(3), await startJob(0)];
    expect(await ended(other._id)).toMatchObject({ status: JobStatus.COMPLETED });
    await eventually("the first attempt", async () => (attempts.size > 0 ? true : undefined));
    const cancelled = await storage.atomically((session) => getStores().jobs.cancel(one._id, new Date(time), session));
    expect(cancelled).toMatchObject({ status: JobStatus.CANCELLED });
    worker.abandon(one._id);
    await getStores().jobs.forgetFiles(one._id);
    expect(await getStores().jobs.readFiles(one._id, 0)).toEqual([]);
    expect((await getStores().jobs.removeProject("prj_1")).sort()).toEqual([one._id, other._id].sort());
    expect(await find(one._id)).toBeNull();
  });

  it("reads few of 100,000 files at a time", async () => {
    const { _id } = await startJob(100_000, 0);
    const { readFiles, advance } = getStores().jobs;
    expect((await readFiles(_id, 0)).length).toBe(500);
    expect((await readFiles(_id, 99_993)).map(({ fileId }) => fileId)).toEqual(
      Array.from({ length: 7 }, (_, index) => `fil_0${99_993 + index}`),
    );
    expect(await readFiles(_id, 100_000)).toEqual([]);
    // Only the holder of the lease counts, and only from the place where it is.
    const acquired = await getStores().jobs.acquire(_id, "me", new Date(time), new Date(time + 1_000));
    const own = acquired as JobRecord;
    expect(await advance(own, { done: 8, failed: 8 }, new Date(time))).toBe(true);
    expect(await advance(own, { done: 8, failed: 8 }, new Date(time))).toBe(false);
    const late = { ...own, done: 8, lease: { ...own.lease, fence: 0 } };
    expect(await advance(late, { done: 8, failed: 0 }, new Date(time))).toBe(false);
    expect(await find(_id)).toMatchObject({ done: 8, failed: 8 });
  });
});
