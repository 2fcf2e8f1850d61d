import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { eventually } from "@switchyard/storage/testing";
import { getBody } from "../specification/testing/office.ts";
import { finishedExecution } from "../specification/testing/benchmarks.ts";
import { startBenchmarkSystem } from "./benchmark-fixture.ts";
import type { BenchmarkSystem } from "./benchmark-fixture.ts";

const long = process.env["SWITCHYARD_TEST_COUNTS"] === "long";
const kills = long ? 100 : 2;
const fileCount = long ? 200 : 100;

describe(`a benchmark run over ${fileCount} files of 20 ms`, () => {
  let system: BenchmarkSystem;
  beforeAll(async () => {
    system = await startBenchmarkSystem(fileCount);
  });
  afterAll(() => system?.close());

  async function begin(fileIds = system.fileIds): Promise<string> {
    const body = { deploymentId: system.modelId, name: "Run", fileIds };
    return (await getBody(system.rest.post(`/api/v1/projects/${system.projectId}/benchmarks`, body), 201)).executionId;
  }

  /** Asserts that there is exactly one result for each file, and that they are counted correctly. */
  async function expectWhole(executionId: string): Promise<void> {
    const results = await system.results(executionId);
    expect(results.map(({ fileId }) => fileId).sort()).toEqual([...system.fileIds].sort());
    const { data } = await getBody(system.rest.get(`/api/v1/benchmarks/${executionId}/files?limit=500`), 200);
    expect(data.map(({ fileId }: any) => fileId)).toEqual([...system.fileIds].sort());
    expect(await system.stored(executionId)).toMatchObject({
      status: ExecutionStatus.COMPLETED,
      done: fileCount,
      failed: 0,
    });
  }

  const ended = ({ status }: { status: number }) => status !== ExecutionStatus.RUNNING;

  it(
    `has one result per file and one final state, whenever its worker is killed (${kills} times)`,
    async () => {
      for (let round = 0; round < kills; round += 1) {
        const executionId = await begin();
        const at = 1 + Math.floor(Math.random() * (fileCount - 20));
        await system.until(executionId, ({ done }) => done >= at);
        const index = system.getHolder(executionId);
        await system.workers[index]?.end("SIGKILL");
        const restarted = system.restart(index);
        const { lease } = await system.until(executionId, ended);
        expect(lease.fence).toBeGreaterThan(1);
        await expectWhole(executionId);
        await restarted;
      }
    },
    kills * 90_000,
  );

  it("ignores the results of a worker that was suspended until its lease expired", async () => {
    const executionId = await begin();
    await system.until(executionId, ({ done }) => done >= 40);
    const suspended = system.workers[system.getHolder(executionId)];
    suspended?.child.kill("SIGSTOP");
    const { done } = await system.until(executionId, ({ lease }) => lease.fence > 1);
    const before = (await system.results(executionId)).filter(({ fence }) => fence === 1);
    await system.until(executionId, (execution) => execution.done >= Math.min(done + 20, fileCount));
    suspended?.child.kill("SIGCONT");
    await system.until(executionId, ended);
    await expectWhole(executionId);
    // The worker continues, and nothing that it had started counts.
    const next = await begin(system.fileIds.slice(0, 10));
    await system.until(next, ended);
    const after = (await system.results(executionId)).filter(({ fence }) => fence === 1);
    expect(after).toEqual(before);
    expect(after.length).toBeLessThan(fileCount);
  });

  it("is cancelled within a second, keeps finished results, and cannot be deleted before", async () => {
    // Slow enough to be far from complete when it is cancelled, even on a busy machine.
    system.slowness.ms = 200;
    const executionId = await begin();
    await system.until(executionId, ({ done }) => done >= 20);
    const path = `/api/v1/benchmarks/${executionId}`;
    const refused = await system.rest.send(path, { method: "DELETE" });
    expect([refused.status, refused.body.code]).toEqual([409, "EXECUTION_RUNNING"]);
    const cancelled = await getBody(system.rest.post(`${path}:cancel`), 200);
    expect(cancelled).toMatchObject({ status: "CANCELLED", completedAt: expect.any(String), error: null });
    const { done } = cancelled.progress;
    expect(done).toBeLessThan(fileCount);
    system.slowness.ms = 20;
    const next = await begin(system.fileIds.slice(0, 10));
    await system.until(next, ended);
    expect(await finishedExecution(system.rest, executionId)).toMatchObject({
      status: "CANCELLED",
      progress: { done },
    });
    expect(await system.results(executionId)).toHaveLength(done);
    expect((await getBody(system.rest.get(`${path}/metrics`), 200)).aggregated.totalFiles).toBe(done);
    expect((await system.rest.send(path, { method: "DELETE" })).status).toBe(204);
    const removed = async () => ((await system.madeResults(executionId)) === 0 ? true : undefined);
    await eventually("the removal of its results", removed);
  });
});
