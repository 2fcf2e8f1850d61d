// Measures the memory of a server during work and a minute later.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { invoiceText } from "../../burst.ts";
import { getMemory, startDemoServer } from "../../faults/demo-server.ts";
import type { DemoServer } from "../../faults/demo-server.ts";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest, RestResponse } from "../../rest.ts";

/** The number of texts. There are a tenth as many PDF files, and records are read five times as often. */
const texts = Number(process.env["SWITCHYARD_BENCH_RECORDS"] ?? 20_000);
const seconds = Number(process.env["SWITCHYARD_BENCH_SECONDS"] ?? 0);
const atOnce = 16;
const pageSize = 500;
const restMs = 60_000;
/** The maximum a minute after the work, in MiB. */
const maxMiB = 500;

/**
 * The memory of the one-process server after it classified and extracted short texts, the same for PDF files, and after all records were
 * paged through: at its peak, and a minute later, which must be below 500 MiB. With SWITCHYARD_BENCH_SECONDS, the work is repeated for that
 * long, and the figures show whether the memory grows.
 */
export async function measure(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const server = await startDemoServer(folder);
  try {
    const pid = server.program.child.pid ?? 0;
    const rest = createRest(server.url, server.token);
    const pdf = await readFile(join(import.meta.dirname, "../../../samples/invoice-brightwater.pdf"));
    console.log(`  ${"at the start".padEnd(34)} ${(await getMemory(pid))?.now} MiB`);
    const end = performance.now() + seconds * 1_000;
    let isWithin = true;
    for (let round = 0; round === 0 || performance.now() < end; round += 1) {
      const first = round * texts;
      isWithin = (await measureWork(`${texts} texts`, pid, () => classifyTexts(rest, server, first))) && isWithin;
      isWithin =
        (await measureWork(`${texts / 10} PDF files`, pid, () => classifyFiles(rest, server, pdf, first))) && isWithin;
      isWithin = (await measureWork(`${texts * 5} records in pages`, pid, () => readPages(rest, server))) && isWithin;
    }
    return isWithin;
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureWork(name: string, pid: number, work: () => Promise<void>): Promise<boolean> {
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1_000;
  const after = (await getMemory(pid))?.now ?? NaN;
  await sleep(restMs);
  const { now = NaN, most = NaN } = (await getMemory(pid)) ?? {};
  console.log(
    `  ${name.padEnd(34)} ${after} MiB after ${seconds.toFixed(0)} s, ${now} MiB a minute later, ${most} MiB at the peak`,
  );
  return now < maxMiB;
}

async function classifyTexts(rest: Rest, { classifier }: DemoServer, first: number): Promise<void> {
  await inParallel(texts, (n) =>
    assertExtracted(rest, rest.post(`/api/v1/classify/${classifier}`, { text: invoiceText(first + n), extract: true })),
  );
}

/** Classifies copies of a PDF file. Each differs in a comment at its end, so that none is known. */
async function classifyFiles(rest: Rest, { classifier }: DemoServer, pdf: Buffer, first: number): Promise<void> {
  await inParallel(texts / 10, (n) => {
    const bytes = Buffer.concat([pdf, Buffer.from(`\n% ${first + n}\n`)]);
    return assertExtracted(
      rest,
      rest.upload(`/api/v1/classify/${classifier}`, "invoice.pdf", bytes, { extract: "true" }),
    );
  });
}

/** Waits until the document is extracted, if it is not yet: the response to a slow one comes before. Throws if it is not. */
async function assertExtracted(rest: Rest, sent: Promise<RestResponse>): Promise<void> {
  const { status, body, text } = await sent;
  if (status !== 201 || body.status !== "CLASSIFIED" || body.extraction === null) throw new Error(text);
  const extraction =
    body.extraction.status === "RUNNING" ? await finishedExtraction(rest, body.extraction.id) : body.extraction;
  if (extraction.status !== "COMPLETED") throw new Error(JSON.stringify(extraction));
}

/** Reads pages of classifications, from the start again after the last one. */
async function readPages(rest: Rest, { classifier }: DemoServer): Promise<void> {
  const base = `/api/v1/classify/${classifier}/classifications?limit=${pageSize}`;
  let pageToken: string | undefined;
  for (let read = 0; read < texts * 5;) {
    const { status, body, text } = await rest.get(pageToken === undefined ? base : `${base}&pageToken=${pageToken}`);
    if (status !== 200 || body.data.length === 0) throw new Error(text);
    read += body.data.length;
    pageToken = body.nextPageToken ?? undefined;
  }
}

/** Runs `work` for the numbers below `count`, several at once. */
async function inParallel(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
