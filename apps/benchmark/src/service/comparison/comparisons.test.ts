import { Verdict } from "@switchyard/contracts/switchyard/benchmark/v1/benchmark";
import { getProblemFacts } from "@switchyard/rpc";
import { connectStorage, newId } from "@switchyard/storage";
import { startTestDatabase, useDatabase } from "@switchyard/storage/testing";
import { createBenchmarkSystem, fileIds } from "../../testing/system.ts";

const database = useDatabase(startTestDatabase);

describe("the comparison of executions", () => {
  it("finds what broke, even in results from before comparisons, and waits for neither run", async () => {
    const name = newId("test");
    let broken: readonly string[] = [];
    let hold = Promise.resolve();
    const system = await createBenchmarkSystem(
      database.uri,
      async ({ fileId }) => {
        await hold;
        const value = broken.includes(fileId) ? 1 : 12.5;
        return {
          tables: [{ slug: "receipt", rows: [{ values: { total: { kind: { case: "numberValue", value } } } }] }],
        };
      },
      {},
      name,
    );
    const { client, as } = system;
    const run = async () => (await system.waitForEnd(await system.startExecution())).id;
    const compare = (executionId: string, baseline: string) =>
      client.compareExecutions({ executionId, baseline }, as());
    try {
      const baseline = await run();
      broken = fileIds.slice(2, 10);
      const candidate = await run();

      const regressed = await compare(candidate, baseline);
      expect(regressed).toMatchObject({ filesCompared: 12, enoughFiles: false, newlyFailingCount: 8, stillWrong: 0 });
      expect(regressed.newlyFailing.map(({ fileId }) => fileId)).toEqual(broken);
      expect(regressed.aggregated?.successRate).toMatchObject({
        delta: expect.closeTo(-8 / 12, 12),
        // All 2^12 exchanges are computed: of those with 8 differing files, 2 of 2^8 are as extreme.
        pValue: 2 / 2 ** 8,
        verdict: Verdict.REGRESSED,
      });
      expect(regressed.byColumn[0]?.successRate).toMatchObject({
        pValue: expect.closeTo(2 / 2 ** 8, 12),
        verdict: Verdict.REGRESSED,
      });
      expect((await compare(baseline, candidate)).aggregated?.f1?.verdict).toBe(Verdict.IMPROVED);

      // Results from before comparisons have no grid; those of a worker that lost its lease do not count.
      const storage = await connectStorage({ uri: database.uri, database: name });
      const results = storage.connection.collection("results");
      await results.updateMany({ executionId: candidate }, { $unset: { grid: "" } });
      const stray = await results.findOne({ executionId: candidate, fileId: fileIds[0] });
      await results.insertOne({ ...stray, _id: `${candidate} stray` as never, fence: 77 });
      const another = await client.compareExecutions({ executionId: candidate, baseline, margin: 0.02 }, as());
      expect(another).toEqual(regressed);
      await storage.close();

      let release = (): void => undefined;
      hold = new Promise((resolve) => (release = resolve));
      const running = await system.startExecution();
      for (const call of [
        () => compare(running, baseline),
        () => compare(baseline, running),
        () =>
          client.gateExecution(
            { executionId: running, rules: [{ metric: "aggregated.f1", operator: ">", value: 0 }] },
            as(),
          ),
      ]) {
        const problem = getProblemFacts(await call().catch((error: unknown) => error));
        expect(problem).toMatchObject({ reason: "RUN_NOT_FINISHED", metadata: { executionId: running } });
      }
      release();
      await client.cancelExecution({ executionId: running }, as());
      const rules = [{ metric: "aggregated.totalFiles", operator: ">=", value: 0 }];
      // What is not COMPLETED does not pass, whatever it has scored.
      const cancelled = await client.gateExecution({ executionId: running, rules }, as());
      expect(cancelled).toMatchObject({ passed: false, rules: [{ passed: true }] });
    } finally {
      await system.close();
    }
  });
});
