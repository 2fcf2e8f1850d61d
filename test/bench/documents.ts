// How long the one-process server answers nobody while it reads, scores, shows and extracts hostile documents, and its peak memory.
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startDemoServer } from "../faults/demo-server.ts";
import { createRest } from "../rest.ts";
import type { Answer, Rest } from "../rest.ts";
import { hostileDocuments } from "./hostile-documents.ts";
import type { HostileDocument } from "./hostile-documents.ts";

/** An answer that takes longer than this has a reason that should be looked for. */
const mostStallMs = 250;

interface Step {
  readonly ms: number;
  readonly stallMs: number;
  readonly outcome: string;
}

/** Asks a server for its health all the time, in a thread of its own: what this process does must not count. */
function startProbe(url: string): { slowest: () => Promise<number>; stop: () => Promise<number> } {
  const worker = new Worker(new URL("./health-probe.ts", import.meta.url), { workerData: url });
  const ask = async (message: string): Promise<number> => {
    const answer = once(worker, "message");
    worker.postMessage(message);
    return (await answer)[0] as number;
  };
  return { slowest: () => ask("tell"), stop: () => ask("stop") };
}

/** The largest memory of a process since it was asked before, in MiB; only Linux tells. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  await writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => undefined);
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** An uploaded file whose extraction is awaited; what the steps answered, in the order of the table. */
async function stepsOf(
  rest: Rest,
  places: { projectId: string; classifierId: string; modelId: string },
  { filename, make }: HostileDocument,
  slowest: () => Promise<number>,
): Promise<Step[]> {
  const { projectId, classifierId, modelId } = places;
  const bytes = make();
  // The server may have closed idle connections meanwhile, which this process only learns in its next turn.
  await sleep(100);
  const steps: Step[] = [];
  async function step(work: () => Promise<Answer>, outcome: (answer: Answer) => string): Promise<Answer> {
    await slowest();
    const begun = performance.now();
    const answer = await work();
    steps.push({ ms: performance.now() - begun, stallMs: await slowest(), outcome: outcome(answer) });
    return answer;
  }
  const said = ({ status, body }: Answer) => body?.reason?.code ?? body?.code ?? body?.status ?? String(status);
  const file = await step(
    () => rest.upload(`/api/v1/projects/${projectId}/files`, filename, bytes),
    ({ body, status }) =>
      [body.reason?.message ?? status, ...(body.warnings ?? []).map(({ message }: any) => message)].join(" "),
  );
  const fileId = file.body.id;
  await step(() => rest.post(`/api/v1/classify/${classifierId}`, { fileId }), said);
  await step(() => rest.get(`/api/v1/files/${fileId}/text`), said);
  await step(async () => {
    const begun = await rest.post(`/api/v1/deployments/${modelId}/extractions`, { fileId });
    for (let answer = begun; ; await sleep(20)) {
      if (answer.status >= 400 || /COMPLETED|FAILED/.test(answer.body.status)) return answer;
      answer = await rest.get(`/api/v1/extractions/${begun.body.id}`);
    }
  }, said);
  return steps;
}

/** Every hostile document: no health check waits longer than a quarter of a second. `BENCH_DOCUMENT` names some of them. */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-documents-"));
  const server = await startDemoServer(folder);
  let probe: ReturnType<typeof startProbe> | undefined;
  try {
    const { url, token, classifier: classifierId, program } = server;
    const rest = createRest(url, token);
    const projectId = (await rest.get("/api/v1/projects")).body.data[0].id;
    const modelId = (await rest.get(`/api/v1/projects/${projectId}/deployments`)).body.data[0].id;
    probe = startProbe(url);
    await probe.slowest();
    await sleep(2_000);
    console.log(`  the slowest of the health checks of an idle server: ${(await probe.slowest()).toFixed(0)} ms`);
    console.log(`  ${"".padEnd(38)} read         score        show         extract      peak   outcome`);
    let fine = true;
    const wanted = process.env["BENCH_DOCUMENT"] ?? "";
    for (const document of hostileDocuments.filter(({ name }) => name.includes(wanted))) {
      await peakMemory(program.child.pid ?? 0);
      const steps = await stepsOf(rest, { projectId, classifierId, modelId }, document, probe.slowest);
      const peak = await peakMemory(program.child.pid ?? 0);
      const columns = steps.map(({ ms, stallMs }) => `${ms.toFixed(0).padStart(6)} (${stallMs.toFixed(0)})`.padEnd(13));
      const outcome = steps.map((step) => step.outcome).join("; ");
      console.log(
        `  ${document.name.padEnd(38)} ${columns.join("")}${peak.toFixed(0).padStart(5)}  ${outcome}; load ${loadavg()[0]?.toFixed(1)}`,
      );
      fine &&= steps.every(({ stallMs }) => stallMs < mostStallMs);
    }
    return fine;
  } finally {
    await probe?.stop();
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}
