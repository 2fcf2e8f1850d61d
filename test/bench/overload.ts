// Measures what a server does with ten times the requests that it can serve, in an open loop.
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { getMemory, startDemoServer } from "../faults/demo-server.ts";
import type { DemoServer } from "../faults/demo-server.ts";
import { runProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import { getCpuMicros, measureLoad, pin, settle, toRequestBytes } from "./testing/load.ts";
import type { Load, LoadResult } from "./testing/load.ts";
import type { Latencies, OpenLoop, OpenLoopOutcome } from "./testing/open-loop.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 30);
const factor = 10;
/** The aims: the share of the capacity that is served under overload, the latency of responses, and the time to a refusal and to recover. */
const aims = { goodput: 0.9, answeredP99Ms: 2_000, refusedP99Ms: 100, recoveryMs: 5_000 };

/** A kind of request. */
interface Kind {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

function print({ count, p50, p99 }: Latencies): string {
  return `p50 ${p50}, p99 ${p99} ms (${count})`;
}

/** Sends requests in an open loop from a process of its own. */
async function sendTooMany(loop: OpenLoop): Promise<OpenLoopOutcome> {
  const generator = runProgram("test/bench/testing/open-loop.ts", [JSON.stringify(loop)], {});
  pin(generator.child.pid ?? 0, 0);
  await generator.ended();
  return JSON.parse(generator.output().trim().split("\n").at(-1) ?? "") as OpenLoopOutcome;
}

function countAnswered({ statuses }: OpenLoopOutcome): number {
  const served = Object.entries(statuses).filter(([status]) => status.startsWith("2"));
  return served.reduce((sum, [, count]) => sum + count, 0);
}

function getGoodput(outcome: OpenLoopOutcome): number {
  return countAnswered(outcome) / (outcome.elapsedMs / 1_000);
}

/** Measures how many requests a process serves to 16 connections. */
function measureCapacity(
  pid: number,
  requests: Pick<Load, "port" | "toRequest" | "isConstant">,
  forSeconds = Math.min(seconds, 10),
): Promise<LoadResult> {
  return measureLoad(pid, { ...requests, seconds: forSeconds, connections: 16 });
}

/** Measures the same for a `node:http` server without any logic, which spins for as long: what so many connections cost at least. */
async function measureFloor(micros: number, loop: OpenLoop): Promise<void> {
  const floor = runProgram("test/bench/testing/spinning-server.ts", [String(micros)], {});
  try {
    const port = Number(/port (\d+)/.exec(await floor.printed(/port \d+\n/))?.[1]);
    const pid = floor.child.pid ?? 0;
    pin(pid, 1);
    const request = toRequestBytes("GET", "/", {}, "");
    const requests = { port, toRequest: () => request, isConstant: true };
    const before = await measureCapacity(pid, requests);
    const outcome = await sendTooMany({ ...loop, port, perSecond: Math.round(factor * before.perSecond) });
    const mean = (before.perSecond + (await measureCapacity(pid, requests)).perSecond) / 2;
    const goodput = getGoodput(outcome);
    console.log(
      `    node:http that spins for ${micros.toFixed(0)} µs: capacity ${mean.toFixed(0)} a second; ` +
        `goodput ${goodput.toFixed(0)} (ratio ${(goodput / mean).toFixed(2)})`,
    );
  } finally {
    await floor.end();
  }
}

async function measureKind(server: DemoServer, { name, method, path, body }: Kind): Promise<boolean> {
  const pid = server.program.child.pid ?? 0;
  const headers = { authorization: `Bearer ${server.token}` };
  let number = 0;
  const toRequest = () => {
    number += 1;
    return toRequestBytes(method, path, headers, body.replaceAll("NUMBER", String(-number)));
  };
  const requests = { port: server.port, toRequest, isConstant: method === "GET" };
  await measureCapacity(pid, requests);
  const capacity = await measureCapacity(pid, requests);
  const before = await getMemory(pid);
  const loop: OpenLoop = {
    ...{ port: server.port, method, path, headers, body, seconds },
    ...{ perSecond: Math.round(factor * capacity.perSecond), connections: 900, politeClients: 50 },
  };
  const cpuBefore = await getCpuMicros(pid);
  const outcome = await sendTooMany(loop);
  const cpu = (await getCpuMicros(pid)) - cpuBefore;
  const endedAt = performance.now();
  let after = await measureCapacity(pid, requests, 0.5);
  while (after.perSecond < 0.8 * capacity.perSecond && performance.now() - endedAt < 60_000)
    after = await measureCapacity(pid, requests, 0.5);
  const recoveryMs = performance.now() - endedAt;
  const memory = await getMemory(pid);

  const capacityAfter = await measureCapacity(pid, requests);
  const mean = (get: (result: LoadResult) => number) => (get(capacity) + get(capacityAfter)) / 2;
  const answered = countAnswered(outcome);
  const goodput = getGoodput(outcome);
  const ratio = goodput / mean(({ perSecond }) => perSecond);
  const costRatio = mean(({ cpuMicros }) => cpuMicros) / (cpu / answered);
  const unexpected = Object.keys(outcome.statuses).filter((status) => !/^(2\d\d|503|429)$/.test(status));
  console.log(
    `  ${name}: capacity ${capacity.perSecond.toFixed(0)} a second before, ${capacityAfter.perSecond.toFixed(0)} after; ` +
      `offered ${loop.perSecond}, sent ${(outcome.sent / (outcome.elapsedMs / 1_000)).toFixed(0)}; ` +
      `goodput ${goodput.toFixed(0)} (ratio ${ratio.toFixed(2)}, by processor time ${costRatio.toFixed(2)}); ` +
      `answered ${print(outcome.answered)}; refused ${print(outcome.refused)}, polite clients ${print(outcome.politelyRefused)}; ` +
      `as before after ${recoveryMs.toFixed(0)} ms; ${before?.now} MiB before, ${memory?.now} after; ` +
      `${JSON.stringify(outcome.statuses)}; load ${loadavg()[0]?.toFixed(1)}`,
  );
  // A classification takes so long that the connections cost nothing in comparison.
  if (method === "GET") await measureFloor(capacity.cpuMicros / 2, loop);
  if (unexpected.length > 0) throw new Error(`Responses with ${unexpected.join(", ")}`);
  if (outcome.refusalsWithoutRetryAfter > 0) throw new Error("Refusals have no Retry-After");
  if (method === "GET" && outcome.bodyHashes.some((hash) => hash !== capacity.bodyHash))
    throw new Error("The responses have different bodies");
  return (
    ratio >= aims.goodput &&
    outcome.answered.p99 <= aims.answeredP99Ms &&
    outcome.politelyRefused.p99 <= aims.refusedP99Ms &&
    recoveryMs <= aims.recoveryMs
  );
}

/**
 * Sends a list of one classifier, and short texts to classify, at ten times the rate that a client with 16 connections reaches in the same
 * run. The server with its store has one processor, the generator the other one. SWITCHYARD_BENCH_SECONDS is how long each load lasts.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-overload-"));
  const server = await startDemoServer(folder);
  try {
    pin(process.pid, 0);
    pin(server.program.child.pid ?? 0, 1);
    const rest = createRest(server.url, server.token);
    const { id: projectId } = (await rest.post("/api/v1/projects", { name: "List of one" })).body;
    await rest.post("/api/v1/classify", { projectId, name: "Documents" });
    const list = { name: "list of 1", method: "GET", path: `/api/v1/classify?projectId=${projectId}`, body: "" };
    const classify = {
      ...{ name: "classify", method: "POST", path: `/api/v1/classify/${server.classifier}` },
      body: JSON.stringify({ text: "Invoice number INV-NUMBER, total due 12.00", extract: false }),
    };
    const met: boolean[] = [];
    for (const kind of [list, classify]) {
      await settle();
      met.push(await measureKind(server, kind));
    }
    return met.every(Boolean);
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}
