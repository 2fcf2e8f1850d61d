import { Code } from "@connectrpc/connect";
import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { getProblemFacts, problem, unavailable } from "@switchyard/rpc";
import { newId } from "@switchyard/storage";
import { eventually, startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { createBenchmarkSystem } from "../../testing/system.ts";
import type { BenchmarkSystem, Extract } from "../../testing/system.ts";

const database = useDatabase(startTestDatabase);
let system: BenchmarkSystem;
afterEach(() => system.close());

describe("a run", () => {
  it("fails if no file is finished for too long", async () => {
    system = await createBenchmarkSystem(
      database.uri,
      async () => {
        throw unavailable("READER_UNAVAILABLE", "The service is unavailable.");
      },
      { stallTimeoutMs: 400 },
    );
    const execution = await system.waitForEnd(await system.startExecution());
    expect(execution).toMatchObject({ status: ExecutionStatus.FAILED, error: { code: "STALLED" } });
    expect(execution.progress).toMatchObject({ total: 12, done: 0, failed: 0 });
  });

  it("fails if the engine changes", async () => {
    let count = 0;
    system = await createBenchmarkSystem(database.uri, async () => {
      count += 1;
      if (count > 3) throw problem(Code.FailedPrecondition, "ENGINE_CHANGED", "The engine is another one.");
      return {};
    });
    expect(await system.waitForEnd(await system.startExecution())).toMatchObject({
      status: ExecutionStatus.FAILED,
      error: { code: "ENGINE_CHANGED" },
    });
  });

  it("fails if no file could be scored", async () => {
    system = await createBenchmarkSystem(database.uri, async () => ({
      error: { code: "UNREADABLE_FILE", message: "It is damaged." },
    }));
    expect(await system.waitForEnd(await system.startExecution())).toMatchObject({
      status: ExecutionStatus.FAILED,
      error: { code: "NO_FILE_SCORED" },
      progress: { done: 12, failed: 12 },
    });
  });

  it("reports what a language model used, and the typing that the run saves", async () => {
    const tables = [
      { slug: "receipt", rows: [{ values: { total: { kind: { case: "numberValue" as const, value: 12.5 } } } }] },
    ];
    system = await createBenchmarkSystem(database.uri, async ({ fileId }) =>
      fileId === "fil_00"
        ? {
            error: { code: "UNREADABLE_FILE", message: "It is damaged." },
            usage: { inputTokens: 5, outputTokens: 0, cost: 0.125 },
          }
        : { tables, usage: { inputTokens: 1000, outputTokens: 20, cost: 0.25 } },
    );
    const { id: executionId, ...execution } = await system.waitForEnd(await system.startExecution());
    expect(execution.usage).toMatchObject({ inputTokens: 11_005, outputTokens: 220, cost: 2.875 });
    // "12.5" and a key to the next field, in eleven files.
    expect(execution.savings).toMatchObject({ cells: 11, hours: expect.closeTo((11 * 1.35 + 55 * 0.28) / 3600, 12) });
    const { files } = await system.client.listFileResults({ executionId }, system.as());
    expect(files.map(({ usage }) => usage?.inputTokens)).toEqual([5, ...files.slice(1).map(() => 1000)]);
    expect([files[0]?.usage?.cost, files[1]?.usage?.cost]).toEqual([0.125, 0.25]);
  });

  it("has no cost if the price of some tokens is not known, whichever files are written together", async () => {
    system = await createBenchmarkSystem(database.uri, async ({ fileId }) => ({
      usage: { inputTokens: 10, outputTokens: 0, ...(fileId === "fil_00" ? {} : { cost: 0.25 }) },
    }));
    const { id: executionId, usage } = await system.waitForEnd(await system.startExecution());
    expect([usage?.inputTokens, usage?.cost]).toEqual([120, undefined]);
    const { files } = await system.client.listFileResults({ executionId }, system.as());
    expect([files[0]?.usage?.cost, files[1]?.usage?.cost]).toEqual([undefined, 0.25]);
  });

  it("says nothing of tokens if the engine has none", async () => {
    system = await createBenchmarkSystem(database.uri, async () => ({}));
    const execution = await system.waitForEnd(await system.startExecution());
    expect([execution.usage, execution.savings?.cells, execution.savings?.hours]).toEqual([undefined, 0, 0]);
    const { files } = await system.client.listFileResults({ executionId: execution.id }, system.as());
    expect(files.every(({ usage }) => usage === undefined)).toBe(true);
  });

  it("is removed with its project", async () => {
    system = await createBenchmarkSystem(database.uri, async () => {
      await sleep(20);
      return {};
    });
    const id = await system.startExecution();
    system.deleteProject();
    const found = () => system.client.getExecution({ executionId: id }, system.as()).catch(getProblemFacts);
    for (const deadline = Date.now() + 60_000; Date.now() < deadline && !("reason" in (await found()));)
      await sleep(20);
    expect(await found()).toMatchObject({ code: Code.NotFound });
    expect((await system.client.listExecutions({ projectId: "prj_1" }, system.as())).executions).toEqual([]);
    expect(await system.startExecution().catch(getProblemFacts)).toMatchObject({ reason: "PROJECT_NOT_FOUND" });
  });

  it("can be cancelled once, and deleted only afterwards, with audit entries", async () => {
    system = await createBenchmarkSystem(database.uri, () => new Promise(() => undefined));
    const { client, as, auditEntries } = system;
    const id = await system.startExecution();
    const removal = () => client.deleteExecution({ executionId: id }, as());
    expect(await removal().catch(getProblemFacts)).toMatchObject({ reason: "EXECUTION_RUNNING" });
    const cancelled = await Promise.all([1, 2, 3].map(() => client.cancelExecution({ executionId: id }, as())));
    expect(cancelled.map(({ status }) => status)).toEqual(cancelled.map(() => ExecutionStatus.CANCELLED));
    await removal();
    expect(await removal().catch(getProblemFacts)).toMatchObject({ code: Code.NotFound });
    await eventually("the audit trail", async () => (auditEntries.length >= 3 ? true : undefined));
    expect(auditEntries).toEqual([
      ["CreateExecution", id, { name: "Run", projectId: "prj_1", deploymentId: "mdl_1", fileCount: 12 }],
      ["CancelExecution", id, { status: { from: "RUNNING", to: "CANCELLED" } }],
      ["DeleteExecution", id, { name: "Run", projectId: "prj_1" }],
    ]);
  });

  it("is continued at once by another process if its process stops", async () => {
    const name = newId("test");
    const seen: string[] = [];
    const slow: Extract = async ({ fileId }) => {
      await sleep(10);
      seen.push(fileId);
      return {};
    };
    const first = await createBenchmarkSystem(database.uri, slow, { maxParallelFiles: 1 }, name);
    const id = await first.startExecution();
    while (seen.length < 3) await sleep(5);
    await first.close();
    // Without the release, the lease would be valid for another half a minute.
    const startedAt = Date.now();
    system = await createBenchmarkSystem(database.uri, slow, {}, name);
    expect(await system.waitForEnd(id)).toMatchObject({ status: ExecutionStatus.COMPLETED, progress: { done: 12 } });
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    // At most the file in progress is repeated.
    expect(seen.length).toBeLessThanOrEqual(13);
  });

  it("is continued even if no process has run for longer than a run may be without progress", async () => {
    const name = newId("test");
    let extracted = 0;
    const stuck = await createBenchmarkSystem(
      database.uri,
      () => ((extracted += 1) <= 3 ? Promise.resolve({}) : new Promise(() => undefined)),
      { maxParallelFiles: 1, stallTimeoutMs: 3_000 },
      name,
    );
    const id = await stuck.startExecution();
    await eventually("three files", async () => (extracted > 3 ? true : undefined));
    await stuck.close();
    await sleep(3_500);
    system = await createBenchmarkSystem(database.uri, async () => ({}), { stallTimeoutMs: 3_000 }, name);
    expect(await system.waitForEnd(id)).toMatchObject({ status: ExecutionStatus.COMPLETED, progress: { done: 12 } });
  });
});
