// Measures the longest iteration of the event loop of the one-process server while it reads, scores, returns and extracts hostile
// documents, the delay of health checks meanwhile, and the peak memory. The bound applies to processor time, which does not depend on
// the load of the machine.
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startDemoServer } from "../faults/demo-server.ts";
import { createRest } from "../rest.ts";
import type { RestResponse, Rest } from "../rest.ts";
import { hostileDocuments } from "./testing/hostile-documents.ts";
import type { HostileDocument } from "./testing/hostile-documents.ts";

const maxWorkMs = 50;

interface Step {
  readonly ms: number;
  /** The maximum processor time of the main thread in one iteration of the event loop. */
  readonly workMs: number;
  /** The duration of the slowest health check. */
  readonly lateMs: number;
  readonly outcome: string;
}

/** The measurements after each step, each of the time since the previous one. */
interface Watch {
  readonly maxWork: () => Promise<number>;
  readonly slowestCheck: () => Promise<number>;
}

/** Checks the health of a server continuously in another thread, because the work of this thread must not count. */
function startProbe(url: string): { slowest: () => Promise<number>; stop: () => Promise<number> } {
  const worker = new Worker(new URL("./testing/health-probe.ts", import.meta.url), { workerData: url });
  const ask = async (message: string): Promise<number> => {
    const response = once(worker, "message");
    worker.postMessage(message);
    return (await response)[0] as number;
  };
  return { slowest: () => ask("tell"), stop: () => ask("stop") };
}

/** Returns the peak memory of a process since the previous call in MiB; only Linux reports it. */
async function peakMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  await writeFile(`/proc/${pid}/clear_refs`, "5").catch(() => undefined);
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Uploads a file and waits for its extraction. Returns the outcomes of the steps in the order of the table. */
async function getSteps(
  rest: Rest,
  places: { projectId: string; classifierId: string; modelId: string },
  { filename, make }: HostileDocument,
  { maxWork, slowestCheck }: Watch,
): Promise<Step[]> {
  const { projectId, classifierId, modelId } = places;
  const bytes = await make();
  // The server may have closed idle connections meanwhile, which this process only notices in its next iteration.
  await sleep(100);
  const steps: Step[] = [];
  async function step(
    work: () => Promise<RestResponse>,
    outcome: (response: RestResponse) => string,
  ): Promise<RestResponse> {
    await maxWork();
    await slowestCheck();
    const begun = performance.now();
    const response = await work();
    const ms = performance.now() - begun;
    steps.push({ ms, workMs: await maxWork(), lateMs: await slowestCheck(), outcome: outcome(response) });
    return response;
  }
  const said = ({ status, body }: RestResponse) => body?.reason?.code ?? body?.code ?? body?.status ?? String(status);
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
    for (let response = begun; ; await sleep(20)) {
      if (response.status >= 400 || /COMPLETED|FAILED/.test(response.body.status)) return response;
      response = await rest.get(`/api/v1/extractions/${begun.body.id}`);
    }
  }, said);
  return steps;
}

/** Every hostile document: no iteration of the event loop takes more than 50 ms. `BENCH_DOCUMENT` selects documents. */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-documents-"));
  const socket = join(folder, "loop-watch");
  const server = await startDemoServer(join(folder, "data"), {
    NODE_OPTIONS: `--import ${new URL("./testing/loop-watch.ts", import.meta.url).href}`,
    LOOP_WATCH_SOCKET: socket,
    SWITCHYARD_OCR: "on",
  });
  let probe: ReturnType<typeof startProbe> | undefined;
  try {
    const { url, token, classifier: classifierId, program } = server;
    const rest = createRest(url, token);
    const projectId = (await rest.get("/api/v1/projects")).body.data[0].id;
    const modelId = (await rest.get(`/api/v1/projects/${projectId}/deployments`)).body.data[0].id;
    probe = startProbe(url);
    const watch: Watch = { maxWork: async () => Number(await text(connect(socket))), slowestCheck: probe.slowest };
    await watch.maxWork();
    await watch.slowestCheck();
    await sleep(2_000);
    const idle = { workMs: await watch.maxWork(), lateMs: await watch.slowestCheck() };
    console.log(
      `  an idle server: ${shown(idle)}; of each step, in ms: duration (work in one iteration, slowest health check)`,
    );
    console.log(
      `  ${["", "read", "score", "show", "extract"].map((name, n) => name.padEnd(n === 0 ? 38 : 18)).join("")} peak`,
    );
    const wanted = process.env["BENCH_DOCUMENT"] ?? "";
    const over: string[] = [];
    for (const document of hostileDocuments.filter(({ name }) => name.includes(wanted))) {
      const tooLong = async (): Promise<boolean> => {
        await peakMemory(program.child.pid ?? 0);
        const steps = await getSteps(rest, { projectId, classifierId, modelId }, document, watch);
        const peak = await peakMemory(program.child.pid ?? 0);
        const columns = steps.map((step) => `${step.ms.toFixed(0).padStart(6)} ${shown(step)}`.padEnd(18));
        const outcome = steps.map((step) => step.outcome).join("; ");
        const load = loadavg()[0]?.toFixed(1);
        console.log(
          `  ${document.name.padEnd(38)}${columns.join("")}${peak.toFixed(0).padStart(5)}  ${outcome}; load ${load}`,
        );
        return steps.some(({ workMs }) => workMs > maxWorkMs);
      };
      // Repeated, because V8 collects garbage on the main thread alone if a busy machine gives its helper threads no time.
      if ((await tooLong()) && (await tooLong())) over.push(document.name);
    }
    if (over.length > 0) console.error(`  more than ${maxWorkMs} ms of work in one iteration: ${over.join("; ")}`);
    return over.length === 0;
  } finally {
    await probe?.stop();
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}

function shown({ workMs, lateMs }: Pick<Step, "workMs" | "lateMs">): string {
  return `(${workMs.toFixed(0)}, ${lateMs.toFixed(0)})`;
}
