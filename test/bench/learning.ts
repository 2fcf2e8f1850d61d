// Measures how requests are answered while the classifier learns from 10,000 reviews.
import { storeReviews } from "@switchyard/classifier/testing/scoring";
import { startEmbeddedMongo } from "@switchyard/embedded-mongo";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startDemoServer } from "../faults/demo-server.ts";
import type { DemoServer } from "../faults/demo-server.ts";
import { runProgram } from "../processes.ts";
import { createRest } from "../rest.ts";
import type { OpenLoop, OpenLoopOutcome } from "./testing/open-loop.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 30);
const reviews = 10_000;
const perSecond = 50;
/** The time between two reviews of the learning classifier. Each makes it learn again from all of them. */
const reviewIntervalMs = 1_000;
/** The time after which the last of these reviews has been learned. */
const settleMs = 10_000;
/** The aims: the latency of health checks, and of requests in comparison with those of a server that does not learn. */
const aims = { healthP99Ms: 100, slowdown: 2 };

interface Outcome {
  readonly requests: OpenLoopOutcome;
  readonly slowestHealthMs: number;
}

/** Sends short texts at a fixed rate, and watches the health of the server. */
async function load({ port, url, token, classifier }: DemoServer): Promise<Outcome> {
  const loop: OpenLoop = {
    ...{ port, method: "POST", path: `/api/v1/classify/${classifier}`, perSecond, seconds },
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ text: "Invoice number INV-NUMBER, total due 12.00", extract: false }),
    ...{ connections: 50, politeClients: 0 },
  };
  const probe = new Worker(new URL("./testing/health-probe.ts", import.meta.url), { workerData: url });
  const generator = runProgram("test/bench/testing/open-loop.ts", [JSON.stringify(loop)], {});
  await generator.ended();
  const slowest = new Promise<number>((resolve) => probe.once("message", resolve));
  probe.postMessage("stop");
  const requests = JSON.parse(generator.output().trim().split("\n").at(-1) ?? "") as OpenLoopOutcome;
  return { requests, slowestHealthMs: await slowest };
}

/** Reviews a record of the classifier again and again until the work is done. Returns how often it learned. */
async function whileLearning<T>(server: DemoServer, work: () => Promise<T>): Promise<{ result: T; versions: number }> {
  const rest = createRest(server.url, server.token);
  const path = `/api/v1/classify/${server.classifier}`;
  const text = "Invoice number 1, total due 12.00";
  const versions = new Set<string>();
  const record = (await rest.post(path, { text, extract: false })).body;
  const state = { ended: false };
  const reviewing = (async () => {
    for (let even = false; !state.ended; even = !even) {
      const routeId = even ? record.routeId : null;
      const { status, text: answer } = await rest.post(`${path}/classifications/${record.id}:review`, {
        ...{ routeId, extract: false },
      });
      if (status !== 200) throw new Error(answer);
      versions.add((await rest.post(path, { text, extract: false })).body.engine.version);
      await sleep(reviewIntervalMs);
    }
  })();
  const result = await work().finally(() => (state.ended = true));
  await reviewing;
  return { result, versions: versions.size };
}

/** Stores the reviews in the data folder of a demo, which has ended. Returns the token and the classifier, which it prints only once. */
async function prepare(folder: string): Promise<Pick<DemoServer, "token" | "classifier">> {
  const demo = await startDemoServer(folder);
  const { body } = await createRest(demo.url, demo.token).get(`/api/v1/classify/${demo.classifier}`);
  await demo.program.end();
  const store = await startEmbeddedMongo({ folder: join(folder, "store") });
  const words = "invoice receipt contract total due amount tax date order number customer delivery price net".split(
    " ",
  );
  const toText = (n: number) =>
    Array.from({ length: 150 }, (_, at) =>
      at % 3 > 0 ? words[(n * 7 + at * at) % words.length] : `w${(n * at) % 9973}`,
    );
  await storeReviews(
    store.uri,
    Array.from({ length: reviews }, (_, n) => ({
      id: `cls_${String(n).padStart(8, "0")}`,
      classifierId: demo.classifier,
      routeId: body.deploymentRoutes[n % body.deploymentRoutes.length].id,
      text: toText(n).join(" "),
    })),
  );
  await store.close();
  return { token: demo.token, classifier: demo.classifier };
}

/**
 * Classifies 50 texts a second, with 10,000 reviews that are learned again every second, and with a classifier that learned them before. The
 * aims are bounds on health checks and on the slowest requests.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const known = await prepare(folder);
  const server = { ...(await startDemoServer(folder)), ...known };
  try {
    // The first load, and the first reviews, run code that is not compiled yet. Some requests may be refused.
    await whileLearning(server, () => load(server));
    await sleep(settleMs);
    const quiet = await load(server);
    const { result: busy, versions } = await whileLearning(server, () => load(server));
    for (const [name, { requests, slowestHealthMs }] of Object.entries({ quiet, busy })) {
      if (Object.keys(requests.statuses).some((status) => status !== "201"))
        throw new Error(`not all were classified: ${JSON.stringify(requests.statuses)}`);
      const { p50, p99 } = requests.answered;
      console.log(
        `  ${name.padEnd(6)} p50 ${p50} ms, p99 ${p99} ms, slowest health check ${slowestHealthMs.toFixed(0)} ms`,
      );
    }
    const slowdown = busy.requests.answered.p99 / Math.max(1, quiet.requests.answered.p99);
    console.log(`  learned ${versions} versions of ${reviews} reviews; p99 ${slowdown.toFixed(2)} times the usual`);
    return versions > 1 && slowdown <= aims.slowdown && busy.slowestHealthMs <= aims.healthP99Ms;
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}
