// Measures the processor time of a server that nobody uses.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getMemory, startDemoServer } from "../faults/demo-server.ts";
import { getCpuMicros } from "./testing/load.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 60);
/** The time until the start and the demo have no more effect. */
const startSeconds = Math.min(15, seconds);

/** The processor time of an idle server, in percent of one processor, and its memory. */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const server = await startDemoServer(folder);
  try {
    const pid = server.program.child.pid ?? 0;
    await sleep(startSeconds * 1_000);
    const [before, begun] = [await getCpuMicros(pid), performance.now()];
    await sleep(seconds * 1_000);
    const percent = (((await getCpuMicros(pid)) - before) / 10_000 / (performance.now() - begun)) * 1_000;
    console.log(`  ${percent.toFixed(2)} % of a processor, ${(await getMemory(pid))?.now} MiB`);
    return true;
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}
