import { ExecutionStatus } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { conflict, unavailable } from "@switchyard/rpc";
import { startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { setTimeout as sleep } from "node:timers/promises";
import { createBenchmarkSystem, fileIds } from "../../testing/system.ts";
import type { BenchmarkSystem } from "../../testing/system.ts";

const database = useDatabase(startTestDatabase);
let system: BenchmarkSystem;
afterEach(() => system.close());

describe("a run over files", () => {
  it("limits the number of files that are extracted at the same time", async () => {
    let running = 0;
    let max = 0;
    const seen: string[][] = [];
    system = await createBenchmarkSystem(
      database.uri,
      async ({ fileId, excludedFileIds }) => {
        seen.push([fileId, ...excludedFileIds]);
        running += 1;
        max = Math.max(max, running);
        await sleep(10);
        running -= 1;
        return {};
      },
      { maxParallelFiles: 3 },
    );
    const ids = await Promise.all([system.startExecution(), system.startExecution()]);
    for (const id of ids) expect((await system.waitForEnd(id)).status).toBe(ExecutionStatus.COMPLETED);
    expect(max).toBe(3);
    // The engine must not use the accepted values of the file itself.
    expect(seen.every(([fileId, ...excluded]) => excluded.length === 1 && excluded[0] === fileId)).toBe(true);
    expect(seen).toHaveLength(2 * fileIds.length);
  });

  it("continues after the extraction service was unavailable", async () => {
    let available = false;
    system = await createBenchmarkSystem(database.uri, async () => {
      if (!available) throw unavailable("READER_UNAVAILABLE", "The service is unavailable.");
      return {};
    });
    const id = await system.startExecution();
    await sleep(200);
    expect((await system.client.getExecution({ executionId: id }, system.as())).progress?.done).toBe(0);
    available = true;
    expect(await system.waitForEnd(id)).toMatchObject({
      status: ExecutionStatus.COMPLETED,
      progress: { done: 12, failed: 0 },
    });
  });

  it("counts a file as failed after the maximum number of attempts", async () => {
    const attempts = new Map<string, number>();
    system = await createBenchmarkSystem(database.uri, async ({ fileId }) => {
      attempts.set(fileId, (attempts.get(fileId) ?? 0) + 1);
      if (fileId === fileIds[0]) throw conflict("NAME_TAKEN", "It broke.");
      if (fileId === fileIds[1] && attempts.get(fileId) === 1) throw conflict("NAME_TAKEN", "It broke once.");
      return {};
    });
    const id = await system.startExecution();
    expect(await system.waitForEnd(id)).toMatchObject({
      status: ExecutionStatus.COMPLETED,
      progress: { done: 12, failed: 1 },
    });
    expect(attempts.get(fileIds[0] ?? "")).toBe(3);
    const result = await system.client.getFileResult({ executionId: id, fileId: fileIds[0] ?? "" }, system.as());
    expect(result).toMatchObject({ error: { code: "EXTRACTION_FAILED" } });
    // Its accepted values count as missing, as for every file without an extraction.
    expect(result.outcomes?.missing).toBeGreaterThan(0);
  });
});
