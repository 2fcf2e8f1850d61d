// Measures the one-process server with documents of every kind: the times of classifying and extracting each, and the memory at the end.
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { getMemory, startDemoServer } from "../../faults/demo-server.ts";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { createRest } from "../../rest.ts";
import type { Rest } from "../../rest.ts";
import { isPicture, makeMixedDocuments } from "../testing/mixed-documents.ts";
import type { MixedDocument } from "../testing/mixed-documents.ts";

const count = Number(process.env["SWITCHYARD_BENCH_RECORDS"] ?? 200);
const atOnce = 8;
/** The time after the last document until the memory is measured again, when threads without work have ended. */
const settledMs = 75_000;

interface Outcome {
  readonly kind: string;
  /** The time until the document was classified, even if that needed several requests. */
  readonly ms: number;
  /** How often the server had no time for a picture within a request, in which case it stores nothing. */
  readonly repeated: number;
  /** The decision and the values. */
  readonly decision: string;
}

/**
 * 200 documents of every kind, some of them from the folder DOCUMENT_SETS if that is set: classified and extracted one after the other, and on
 * another new server eight at a time. Both must give the same decisions and values, and documents without pictures must not wait for those
 * with pictures. Prints the times by kind and the memory of the server's processes.
 */
export async function measure(): Promise<boolean> {
  const documents = await makeMixedDocuments(count, process.env["DOCUMENT_SETS"]);
  const single = await measureServer("one after the other", documents, 1, 0);
  const parallel = await measureServer(`${atOnce} at a time`, documents, atOnce, settledMs);
  console.log(
    `  ${"".padEnd(16)}${"number".padStart(7)}${"one: p50".padStart(12)}${"p95".padStart(8)}${"eight: p50".padStart(13)}${"p95".padStart(8)}`,
  );
  for (const kind of new Set(documents.map((document) => document.kind))) {
    const times = [single, parallel].map((outcomes) => getTimes(outcomes, (each) => each === kind));
    const [one, eight] = times.map((sorted) =>
      [at(sorted, 0.5), at(sorted, 0.95)].map((ms) => ms.toFixed(0).padStart(8)),
    );
    console.log(
      `  ${kind.padEnd(16)}${String(times[0]?.length).padStart(7)}    ${one?.join("")}     ${eight?.join("")}`,
    );
  }
  const different = documents.filter((_, index) => single[index]?.decision !== parallel[index]?.decision);
  for (const document of different.slice(0, 5)) {
    const [one = "", other = ""] = [single, parallel].map((all) => all[documents.indexOf(document)]?.decision);
    const at = Math.max(0, [...one].findIndex((letter, place) => letter !== other[place]) - 100);
    console.error(`  ${document.kind}: ${one.slice(at, at + 300)}\n    and then: ${other.slice(at, at + 300)}`);
  }
  console.log(`  ${documents.length - different.length} of ${documents.length} have the same decisions and values`);
  // The slowest of the others take less time beside pictures than the usual picture alone.
  const waits =
    at(
      getTimes(parallel, (kind) => !isPicture(kind)),
      0.95,
    ) > at(getTimes(single, isPicture), 0.5);
  if (waits) console.error("  documents without pictures wait for those with pictures");
  return different.length === 0 && !waits;
}

async function measureServer(
  name: string,
  documents: readonly MixedDocument[],
  parallel: number,
  restMs: number,
): Promise<Outcome[]> {
  const folder = await mkdtemp(join(tmpdir(), "switchyard-bench-"));
  const server = await startDemoServer(folder, { SWITCHYARD_OCR: "on" });
  try {
    const rest = createRest(server.url, server.token);
    const outcomes: Outcome[] = [];
    const begun = performance.now();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < documents.length) {
        const index = next++;
        outcomes[index] = await classify(rest, server.classifier, documents[index]!);
      }
    };
    await Promise.all(Array.from({ length: parallel }, work));
    const seconds = (performance.now() - begun) / 1_000;
    const repeated = outcomes.reduce((sum, each) => sum + each.repeated, 0);
    const pid = server.program.child.pid ?? 0;
    const before = await sumMemory(pid);
    await sleep(restMs);
    const peak = (await getMemory(pid))?.most;
    console.log(
      `  ${name}: ${seconds.toFixed(0)} s; ${before} MiB at the end, ${await sumMemory(pid)} MiB after ${restMs / 1_000} s, ${peak} MiB at the peak; ${repeated} requests repeated; load ${loadavg()[0]?.toFixed(1)}`,
    );
    return outcomes;
  } finally {
    await server.program.end();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Classifies a document; the time includes its extraction, as far as the server waits for that. A picture for which there was no time is sent
 * again, as clients do. Throws if that fails.
 */
async function classify(rest: Rest, classifier: string, { kind, filename, bytes }: MixedDocument): Promise<Outcome> {
  const begun = performance.now();
  for (let repeated = 0; ; repeated++) {
    const { status, body, text } = await rest.upload(`/api/v1/classify/${classifier}`, filename, bytes);
    if (status === 504 && isPicture(kind) && repeated < 5) continue;
    const ms = performance.now() - begun;
    if (status < 200 || status > 299) throw new Error(`${kind}: ${status} ${text}`);
    const { routeName, confidence, reason } = body;
    // The servers have other IDs.
    const scores = body.scores.map((each: any) => [each.routeName, each.score, each.eligible]);
    const extraction = body.extraction && (await finishedExtraction(rest, body.extraction.id));
    if (extraction?.status === "FAILED") throw new Error(`${kind}: ${JSON.stringify(extraction)}`);
    const { tables } = extraction ?? {};
    const decision = JSON.stringify({ status: body.status, routeName, confidence, scores, reason, tables });
    return { kind, ms, repeated, decision };
  }
}

/** Returns the times of the kinds that `picks` chooses, in ascending order. */
function getTimes(outcomes: readonly Outcome[], picks: (kind: string) => boolean): number[] {
  return outcomes
    .filter(({ kind }) => picks(kind))
    .map(({ ms }) => ms)
    .sort((one, other) => one - other);
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN;
}

/** Returns the physical memory of a process and of all that it started, in MiB. */
async function sumMemory(pid: number): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc").catch((): string[] => [])) {
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    const [, parent] = /^\d+ \(.*\) \S (\d+)/s.exec(stat) ?? [];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const descends = (child: number): boolean => {
    for (let each: number | undefined = child; each !== undefined; each = parents.get(each))
      if (each === pid) return true;
    return false;
  };
  const all = await Promise.all(
    [...parents.keys()].filter(descends).map(async (each) => (await getMemory(each))?.now ?? 0),
  );
  return all.reduce((total, each) => total + each, 0);
}
