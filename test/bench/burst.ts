// Measures a burst of documents beyond the capacity of a server: how many are classified, and how long each response takes.
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { burst, createSender, invoiceText } from "../burst.ts";
import { startDemoServer } from "../faults/demo-server.ts";

const counts = { documents: 3_000, perSecond: 600 };
const maxMs = 5_000;

async function measureBurst(name: string, toText: (n: number) => string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-burst-"));
  const server = await startDemoServer(folder);
  try {
    const sender = createSender(server);
    for (let n = 0; n < 20; n += 1) await sender.post(invoiceText(-n));
    const begun = performance.now();
    const responses = await burst(sender.post, counts, toText);
    const took = performance.now() - begun;
    const next = await sender.post("Receipt of a shop, paid in cash");
    sender.close();
    const done = responses.filter(({ status }) => status === 201).map(({ ms }) => ms);
    const all = responses.map(({ ms }) => ms);
    const seen = new Map<string, number>();
    for (const { status, code = "" } of responses) {
      const kind = `${status} ${code}`.trim();
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
    console.log(
      `  ${name.padEnd(12)} ${[...seen].map(([kind, count]) => `${count} × ${kind}`).join(", ")}; ` +
        `${((done.length * 1_000) / took).toFixed(0)} classified a second; responses p50 ${quantile(all, 0.5)}, p99 ${quantile(all, 0.99)}, ` +
        `max ${quantile(all, 1)} ms; classified p50 ${quantile(done, 0.5)}, p99 ${quantile(done, 0.99)} ms; ` +
        `next document ${next.status} in ${next.ms.toFixed(0)} ms; load ${loadavg()[0]?.toFixed(1)}`,
    );
    return next.status === 201 && responses.every(({ status, ms }) => (status === 201 || status === 503) && ms < maxMs);
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}

function quantile(values: readonly number[], part: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
}

/** Sends 3,000 documents, 600 per second: each gets 201 or 503 within 5 s. Uses the MongoDB of MONGOD_BINARY if that is set. */
export async function measure(): Promise<boolean> {
  const same = await measureBurst("the same", () => invoiceText(7));
  const distinct = await measureBurst("each another", invoiceText);
  return same && distinct;
}
