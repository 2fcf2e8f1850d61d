import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finishedExtraction, sample } from "../journeys/fixture.ts";
import { createRest } from "../rest.ts";
import { finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody } from "../specification/testing/office.ts";
import { acceptFiles } from "./benchmark-fixture.ts";
import { startDemoServer } from "./demo-server.ts";
import type { DemoServer } from "./demo-server.ts";

const counts =
  process.env["SWITCHYARD_TEST_COUNTS"] === "long"
    ? { rounds: 10, documents: 50, files: 60 }
    : { rounds: 1, documents: 24, files: 20 };

/** Starts the demo server on a data folder, with its log. */
const start = (folder: string, settings: Record<string, string> = {}): Promise<DemoServer> =>
  startDemoServer(folder, { LOG_LEVEL: "info", ...settings });

describe("kill -9 while documents are classified", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-kill-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.each(Array.from({ length: counts.rounds }, (_, round) => round))(
    "loses no record and no review that was confirmed, and counts every record once (round %i)",
    async () => {
      const first = await start(folder);
      const { token, classifier } = first;
      const invoice = await sample("invoice-harbour-lane.pdf");
      const confirmed: any[] = [];
      const reviewed: string[] = [];
      let killed: Promise<void> | undefined;
      const rest = createRest(first.url, token);
      const before = (await rest.get(`/api/v1/classify/${classifier}`)).body.classificationCount;
      await Promise.all(
        Array.from({ length: counts.documents }, async () => {
          try {
            const response = await rest.upload(`/api/v1/classify/${classifier}`, "invoice.pdf", invoice);
            if (response.status !== 201) return;
            confirmed.push(response.body);
            const { id, routeId } = response.body;
            // The server learns from the first reviews while it is killed.
            const path = `/api/v1/classify/${classifier}/classifications/${id}:review`;
            if ((await rest.post(path, { routeId })).status === 200) reviewed.push(id);
          } catch {
            return; // The server was killed before it responded.
          }
          if (reviewed.length >= 15) killed ??= first.program.end("SIGKILL");
        }),
      );
      await killed;
      expect(confirmed.length).toBeGreaterThanOrEqual(15);

      const second = await start(folder);
      expect(second.program.output()).not.toContain(token);
      try {
        const again = createRest(second.url, token);
        const path = `/api/v1/classify/${classifier}`;
        for (const record of confirmed) {
          expect((await again.get(`${path}/classifications/${record.id}`)).body).toMatchObject({
            id: record.id,
            status: "CLASSIFIED",
          });
        }
        for (const id of reviewed) {
          expect((await again.get(`${path}/classifications/${id}`)).body.review).toMatchObject({
            routeId: confirmed[0].routeId,
          });
        }
        const records = await everyRecord(again, path);
        expect((await again.get(path)).body.classificationCount).toBe(records.length);
        expect(records.length).toBeGreaterThanOrEqual(before + confirmed.length);
        // A sweep starts what the crash prevented: every classified record gets its extraction.
        for (const record of records.filter(({ extraction }) => extraction !== null)) {
          expect(await eventuallyExtracted(again, record.extraction.id)).toBe("COMPLETED");
        }
        await vi.waitFor(
          async () => {
            const { body } = await again.post(path, { text: "Invoice number 1", extract: false });
            expect(body.engine.learnedFrom).toBeGreaterThanOrEqual(reviewed.length);
          },
          { timeout: 120_000, interval: 1_000 },
        );
      } finally {
        await second.program.end();
      }
    },
  );
});

describe("kill -9 while a benchmark runs", () => {
  const fileCount = counts.files;
  // If the lease were not released at once, the run would not continue before the test times out.
  const settings = { SWITCHYARD_BENCHMARK_LEASE_SECONDS: "3600", SWITCHYARD_BENCHMARK_PARALLEL: "1" };
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "switchyard-kill-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("continues at once after the restart, and counts every file once", async () => {
    const first = await start(folder, settings);
    const { token } = first;
    const rest = createRest(first.url, token);
    const { projectId, modelId, fileIds } = await acceptFiles(rest, fileCount);
    const body = { deploymentId: modelId, name: "Run", fileIds };
    const { executionId } = await getBody(rest.post(`/api/v1/projects/${projectId}/benchmarks`, body), 201);
    const path = `/api/v1/benchmarks/${executionId}`;
    const running = () => getBody(rest.get(path), 200);
    let before = await running();
    while (before.status === "RUNNING" && before.progress.done < 5) before = await running();
    await first.program.end("SIGKILL");
    expect(before.status).toBe("RUNNING");

    const second = await start(folder, settings);
    try {
      const again = createRest(second.url, token);
      const finished = await finishedExecution(again, executionId);
      expect(finished).toMatchObject({
        status: "COMPLETED",
        progress: { total: fileCount, done: fileCount, failed: 0 },
      });
      const { data } = await getBody(again.get(`${path}/files?limit=500`), 200);
      expect(data.map(({ fileId }: any) => fileId)).toEqual([...fileIds].sort());
      expect((await getBody(again.get(`${path}/metrics`), 200)).aggregated.totalFiles).toBe(fileCount);
    } finally {
      await second.program.end();
    }
  });
});

async function everyRecord(rest: ReturnType<typeof createRest>, path: string): Promise<any[]> {
  const records: any[] = [];
  let page = "";
  do {
    const { body } = await rest.get(`${path}/classifications?limit=500${page}`);
    records.push(...body.data);
    page = body.nextPageToken === null ? "" : `&pageToken=${body.nextPageToken}`;
  } while (page !== "");
  return records;
}

async function eventuallyExtracted(rest: ReturnType<typeof createRest>, extractionId: string): Promise<string> {
  for (let attempt = 0; attempt < 120; attempt += 1) {
    const found = await rest.get(`/api/v1/extractions/${extractionId}`);
    if (found.status === 200) return (await finishedExtraction(rest, extractionId)).status;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return "never started";
}
