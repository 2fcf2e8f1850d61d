import { create } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import type { CallOptions } from "@connectrpc/connect";
import { createIdentityKeys, identitySigner, identityVerifier, withIdentity } from "@switchyard/access";
import { Permission } from "@switchyard/contracts/switchyard/annotations/v1/annotations";
import { BenchmarkService, ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { ChangeService } from "@switchyard/contracts/switchyard/configuration/internal/v1/changes";
import {
  ResolvedTargetSchema,
  ResolveTargetsResponseSchema,
  TargetService,
} from "@switchyard/contracts/switchyard/configuration/internal/v1/targets";
import { ColumnType, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import {
  AcceptedFileService,
  ExtractFileResponseSchema,
  GetAcceptedRevisionResponseSchema,
  ListAcceptedFilesResponseSchema,
} from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import type { ExtractFileRequest } from "@switchyard/contracts/switchyard/extraction/internal/v1/accepted_files";
import {
  AuditService,
  RecordChangesResponseSchema,
  RecordRefusalResponseSchema,
} from "@switchyard/contracts/switchyard/identity/internal/v1/audit";
import { CallerSchema, IdentityLookupService } from "@switchyard/contracts/switchyard/identity/internal/v1/lookup";
import { TokenScope } from "@switchyard/contracts/switchyard/identity/v1/identity";
import {
  conflict,
  createDirectTransport,
  createLogger,
  getProblemFacts,
  notFound,
  problem,
  register,
  serverInterceptors,
  unavailable,
} from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import { eventually, startTestDatabase } from "@switchyard/storage/testing";
import type { TestDatabase } from "@switchyard/storage/testing";
import { Code } from "@connectrpc/connect";
import { setTimeout as sleep } from "node:timers/promises";
import { createBenchmarkService } from "../../index.ts";
import type { BenchmarkSettings } from "../../index.ts";

type Extract = (request: ExtractFileRequest) => Promise<{ error?: { code: string; message: string } }>;

const files = Array.from({ length: 12 }, (_, index) => `fil_${String(index).padStart(2, "0")}`);
const model = { id: "mdl_1", name: "Receipts", organizationId: "org_1", projectId: "prj_1", schemaId: "sch_1" };

let database: TestDatabase;
beforeAll(async () => {
  database = await startTestDatabase();
});
afterAll(() => database.close());

/** The service over a store of its own, with extraction as the test has it. */
async function createSystem(extract: Extract, settings: Partial<BenchmarkSettings> = {}, name = newId("test")) {
  const storage = await connectStorage({ uri: database.uri, database: name });
  const keys = createIdentityKeys(new Uint8Array(32).fill(7));
  const logger = createLogger({ name: "test", level: "silent" });
  const noted: unknown[] = [];
  let deleteProject = (): void => undefined;
  const deleted = new Promise<void>((resolve) => (deleteProject = resolve));
  const reach = (service: string, audience: string, services: readonly ServiceRegistration[]) =>
    createDirectTransport({
      services,
      serverInterceptors: [...serverInterceptors({ logger }), identityVerifier({ audience, keys })],
      interceptors: [identitySigner({ service, audience, keys })],
    });
  const configuration = [
    register(TargetService, {
      resolveTargets: () =>
        create(ResolveTargetsResponseSchema, { targets: [create(ResolvedTargetSchema, { model })] }),
      getSchema: () =>
        create(ConfigurationSchema, {
          schemaId: "sch_1",
          tables: [{ id: "tbl_1", slug: "receipt", isPrimary: true }],
          columns: [{ id: "col_1", tableId: "tbl_1", slug: "total", type: ColumnType.NUMBER }],
        }),
    }),
    register(AuditService, {
      recordChanges({ changes }) {
        noted.push(...changes.map(({ method, targetId, changes: said }) => [method, targetId, said]));
        return create(RecordChangesResponseSchema);
      },
      recordRefusal: () => create(RecordRefusalResponseSchema),
    }),
    register(ChangeService, {
      async *watchChanges(_request, { signal }) {
        yield { position: 1 };
        await Promise.race([deleted, new Promise((resolve) => signal.addEventListener("abort", resolve))]);
        if (signal.aborted) return;
        const value = { projectId: "prj_1", organizationId: "org_1" };
        yield { position: 2, kind: { case: "projectDeleted", value } };
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
    }),
    register(IdentityLookupService, {
      verifyToken() {
        throw notFound("token", "");
      },
      resolveProjects: () => ({ projects: [] }),
    }),
  ];
  const extraction = [
    register(AcceptedFileService, {
      listAcceptedFiles: () =>
        create(ListAcceptedFilesResponseSchema, {
          files: files.map((fileId) => ({ fileId, revision: "1", filename: `${fileId}.txt`, sha256: "2" })),
          engine: { name: "local", version: "1" },
        }),
      getAcceptedRevision: () =>
        create(GetAcceptedRevisionResponseSchema, {
          tables: [{ slug: "receipt", rows: [{ values: { total: { kind: { case: "numberValue", value: 12.5 } } } }] }],
        }),
      extractFile: async (request) => create(ExtractFileResponseSchema, await extract(request)),
    }),
  ];
  const service = createBenchmarkService({
    storage,
    configuration: reach("benchmark", "configuration", configuration),
    extraction: reach("benchmark", "extraction", extraction),
    logger,
    pageTokenSecret: new Uint8Array(32).fill(9),
    settings: { sweepIntervalMs: 20, heartbeatIntervalMs: 20, retryMs: 5, pollIntervalMs: 10, ...settings },
  });
  await storage.ready();
  service.start();
  const caller = create(CallerSchema, {
    tokenId: "tok_1",
    userId: "usr_1",
    organizationId: "org_1",
    scope: TokenScope.ORGANIZATION,
    projectIds: ["prj_1"],
    permissions: [Permission.BENCHMARKS_READ, Permission.BENCHMARKS_RUN],
  });
  const client = createClient(BenchmarkService, reach("gateway", "benchmark", service.registrations));
  const as = (): CallOptions => ({ contextValues: withIdentity({ service: "gateway", caller }) });
  return {
    client,
    as,
    /** What the audit trail was told: method, target and changes. */
    noted,
    /** Lets the configuration service tell that the project is deleted. */
    deleteProject: () => deleteProject(),
    async begin() {
      const body = { projectId: "prj_1", modelId: "mdl_1", name: "Run" };
      return (await client.createExecution(body, as())).executionId;
    },
    /** The execution when it has ended, as the stream of its progress says. */
    async end(executionId: string) {
      for await (const { status } of client.watchExecution({ executionId }, as())) {
        if (status !== ExecutionStatus.RUNNING) break;
      }
      return client.getExecution({ executionId }, as());
    },
    async close() {
      await service.stop();
      await storage.close();
    },
  };
}

describe("running", () => {
  let system: Awaited<ReturnType<typeof createSystem>>;
  afterEach(() => system.close());

  it("has at most so many files extracted at once, of all executions together", async () => {
    let running = 0;
    let most = 0;
    const seen: string[][] = [];
    system = await createSystem(
      async ({ fileId, excludedFileIds }) => {
        seen.push([fileId, ...excludedFileIds]);
        running += 1;
        most = Math.max(most, running);
        await sleep(10);
        running -= 1;
        return {};
      },
      { parallel: 3 },
    );
    const ids = await Promise.all([system.begin(), system.begin()]);
    for (const id of ids) expect((await system.end(id)).status).toBe(ExecutionStatus.COMPLETED);
    expect(most).toBe(3);
    // A file is never scored by what was learned from itself.
    expect(seen.every(([fileId, ...excluded]) => excluded.length === 1 && excluded[0] === fileId)).toBe(true);
    expect(seen).toHaveLength(2 * files.length);
  });

  it("ends a run of which no file is finished for too long", async () => {
    system = await createSystem(
      async () => {
        throw unavailable("EXTRACTION_DOWN", "Nobody answers.");
      },
      { stallTimeoutMs: 400 },
    );
    const execution = await system.end(await system.begin());
    expect(execution).toMatchObject({ status: ExecutionStatus.FAILED, error: { code: "STALLED" } });
    expect(execution.progress).toMatchObject({ total: 12, done: 0, failed: 0 });
  });

  it("goes on after a while in which nobody answered", async () => {
    let answering = false;
    system = await createSystem(async () => {
      if (!answering) throw unavailable("EXTRACTION_DOWN", "Nobody answers.");
      return {};
    });
    const id = await system.begin();
    await sleep(200);
    expect((await system.client.getExecution({ executionId: id }, system.as())).progress?.done).toBe(0);
    answering = true;
    expect(await system.end(id)).toMatchObject({
      status: ExecutionStatus.COMPLETED,
      progress: { done: 12, failed: 0 },
    });
  });

  it("ends a run when the engine changes", async () => {
    let count = 0;
    system = await createSystem(async () => {
      count += 1;
      if (count > 3) throw problem(Code.FailedPrecondition, "ENGINE_CHANGED", "The engine is another one.");
      return {};
    });
    expect(await system.end(await system.begin())).toMatchObject({
      status: ExecutionStatus.FAILED,
      error: { code: "ENGINE_CHANGED" },
    });
  });

  it("counts a file as failed whose extraction breaks off every time", async () => {
    const attempts = new Map<string, number>();
    system = await createSystem(async ({ fileId }) => {
      attempts.set(fileId, (attempts.get(fileId) ?? 0) + 1);
      if (fileId === files[0]) throw conflict("BROKEN", "It broke.");
      if (fileId === files[1] && attempts.get(fileId) === 1) throw conflict("BROKEN", "It broke once.");
      return {};
    });
    const id = await system.begin();
    expect(await system.end(id)).toMatchObject({
      status: ExecutionStatus.COMPLETED,
      progress: { done: 12, failed: 1 },
    });
    expect(attempts.get(files[0] ?? "")).toBe(3);
    const result = await system.client.getFileResult({ executionId: id, fileId: files[0] ?? "" }, system.as());
    expect(result).toMatchObject({ error: { code: "EXTRACTION_FAILED" } });
    // What was accepted of it counts as missing, like that of every file without an extraction.
    expect(result.outcomes?.missing).toBeGreaterThan(0);
  });

  it("fails when no file could be scored", async () => {
    system = await createSystem(async () => ({ error: { code: "UNREADABLE_FILE", message: "It is damaged." } }));
    expect(await system.end(await system.begin())).toMatchObject({
      status: ExecutionStatus.FAILED,
      error: { code: "NO_FILE_SCORED" },
      progress: { done: 12, failed: 12 },
    });
  });

  it("stops with its project, of which nothing is left", async () => {
    system = await createSystem(async () => {
      await sleep(20);
      return {};
    });
    const id = await system.begin();
    system.deleteProject();
    const found = () => system.client.getExecution({ executionId: id }, system.as()).catch(getProblemFacts);
    for (const deadline = Date.now() + 20_000; Date.now() < deadline && !("reason" in (await found()));)
      await sleep(20);
    expect(await found()).toMatchObject({ code: Code.NotFound });
    expect((await system.client.listExecutions({ projectId: "prj_1" }, system.as())).executions).toEqual([]);
    expect(await system.begin().catch(getProblemFacts)).toMatchObject({ reason: "PROJECT_NOT_FOUND" });
  });

  it("ends when it is cancelled, once, and only then can be deleted; the audit trail is told of both", async () => {
    system = await createSystem(() => new Promise(() => undefined));
    const { client, as, noted } = system;
    const id = await system.begin();
    const removal = () => client.deleteExecution({ executionId: id }, as());
    expect(await removal().catch(getProblemFacts)).toMatchObject({ reason: "EXECUTION_RUNNING" });
    const cancelled = await Promise.all([1, 2, 3].map(() => client.cancelExecution({ executionId: id }, as())));
    expect(cancelled.map(({ status }) => status)).toEqual(cancelled.map(() => ExecutionStatus.CANCELLED));
    await removal();
    expect(await removal().catch(getProblemFacts)).toMatchObject({ code: Code.NotFound });
    await eventually("the audit trail", async () => (noted.length >= 3 ? true : undefined));
    expect(noted).toEqual([
      ["CreateExecution", id, { name: "Run", projectId: "prj_1", deploymentId: "mdl_1", fileCount: 12 }],
      ["CancelExecution", id, { status: { from: "RUNNING", to: "CANCELLED" } }],
      ["DeleteExecution", id, { name: "Run", projectId: "prj_1" }],
    ]);
  });

  it("is handed on at once by a process that is stopped", async () => {
    const name = newId("test");
    const seen: string[] = [];
    const slow: Extract = async ({ fileId }) => {
      await sleep(10);
      seen.push(fileId);
      return {};
    };
    const first = await createSystem(slow, { parallel: 1 }, name);
    const id = await first.begin();
    while (seen.length < 3) await sleep(5);
    await first.close();
    // Its lease would have lasted half a minute more.
    const begun = Date.now();
    system = await createSystem(slow, {}, name);
    expect(await system.end(id)).toMatchObject({ status: ExecutionStatus.COMPLETED, progress: { done: 12 } });
    expect(Date.now() - begun).toBeLessThan(20_000);
    // At most the one in hand was begun again.
    expect(seen.length).toBeLessThanOrEqual(13);
  });
});
