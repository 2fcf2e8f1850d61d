// Measures the processor time of a server that nobody uses.
import { startMongod } from "@switchyard/local-mongod";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getMemory, startDemoServer } from "../../faults/demo-server.ts";
import { getCpuMicros } from "../testing/load.ts";

/** The longest time between two rounds of background work: in a shorter time, it depends on chance how many there are. */
const periodSeconds = 300;
const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? periodSeconds);
/**
 * The time until the demo has no more effect: rounds of background work are rare, code is compiled, and V8 has collected the garbage of each
 * thread in steps, which takes it up to four minutes.
 */
const settlingSeconds = seconds < 60 ? 5 : 300;
const mongod = process.env["MONGOD_BINARY"] ?? "";
/** The maximum on the embedded store, which is part of the process, in percent of one processor. */
const maxPercent = 0.2;

/**
 * The processor time of an idle server, in percent of one processor, and its memory: on the embedded store, and if there is a
 * MONGOD_BINARY, on a MongoDB that other processes may use. Returns false if the former takes too much, measured for five minutes or longer.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  try {
    const embedded = await measureServer("embedded store", join(folder, "embedded"), {});
    if (mongod !== "") {
      const server = await startMongod({ binary: mongod, folder: join(folder, "mongod") });
      await measureServer("MongoDB", join(folder, "server"), { MONGODB_URI: server.uri }).finally(() => server.close());
    }
    return embedded < maxPercent || seconds < periodSeconds;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureServer(name: string, folder: string, environment: Record<string, string>): Promise<number> {
  const server = await startDemoServer(folder, environment);
  try {
    const pid = server.program.child.pid ?? 0;
    await sleep(settlingSeconds * 1_000);
    const [before, begun] = [await getCpuMicros(pid), performance.now()];
    await sleep(seconds * 1_000);
    const percent = (((await getCpuMicros(pid)) - before) / 10_000 / (performance.now() - begun)) * 1_000;
    console.log(`  ${name.padEnd(16)} ${percent.toFixed(2)} % of a processor, ${(await getMemory(pid))?.now} MiB`);
    return percent;
  } finally {
    await server.program.end();
  }
}
