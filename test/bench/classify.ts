// Measures how many short texts a server classifies and extracts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { invoiceText } from "../burst.ts";
import { startDemoServer } from "../faults/demo-server.ts";
import { measureLoad, pin, settle, toRequestBytes } from "./testing/load.ts";

const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 5);

/** Classifies short texts, each a new one, with and without extraction, one at a time and sixteen at a time. */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const server = await startDemoServer(folder);
  try {
    const pid = server.program.child.pid ?? 0;
    pin(process.pid, 0);
    pin(pid, 1);
    let documents = 0;
    for (const extract of [false, true]) {
      for (const connections of [1, 16]) {
        await settle();
        const result = await measureLoad(pid, {
          port: server.port,
          toRequest: () => {
            const body = JSON.stringify({ text: invoiceText((documents += 1)), extract });
            const headers = { authorization: `Bearer ${server.token}` };
            return toRequestBytes("POST", `/api/v1/classify/${server.classifier}`, headers, body);
          },
          connections,
          seconds,
          isConstant: false,
          check(body) {
            const { status, extraction } = JSON.parse(body);
            if (status !== "CLASSIFIED") throw new Error(body);
            if (extract && extraction?.status !== "COMPLETED") throw new Error(body);
          },
        });
        const name = `${extract ? "classify and extract" : "classify"}, ${connections} at a time`;
        const { perSecond, medianMs, cpuMicros } = result;
        console.log(
          `  ${name.padEnd(34)} ${perSecond.toFixed(0).padStart(6)} a second, ${medianMs.toFixed(1)} ms, ${(cpuMicros / 1_000).toFixed(1)} ms of processor time`,
        );
      }
    }
    return true;
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}
