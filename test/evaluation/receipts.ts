/**
 * `npm run evaluate -- receipts`: what the extraction engine learns from accepted receipts (see `measureLearning`), and a benchmark of a model
 * over the receipts of the folder DOCUMENT_SETS, through a whole system: each is uploaded as a PDF that has the text where it was printed, the
 * accepted values are imported, and the figures of the run are printed.
 */
import PDFDocument from "pdfkit";
import { finishedExecution } from "../specification/testing/benchmarks.ts";
import { getBody } from "../specification/testing/office.ts";
import { createRest } from "../rest.ts";
import type { Rest } from "../rest.ts";
import { startTestSystem } from "../system.ts";
import { measureLearning } from "./receipt-learning.ts";
import { getBounds, readReceipts } from "./receipt-set.ts";
import type { Receipt } from "./receipt-set.ts";
import { getTypedValues } from "./typed-receipts.ts";

const timeoutMs = 30 * 60_000;

async function main(folder: string): Promise<void> {
  await measureLearning(folder);
  const receipts = await readReceipts(folder);
  const system = await startTestSystem("one process");
  try {
    await measure(createRest(system.url, system.token), receipts);
  } finally {
    await system.close();
  }
}

async function measure(rest: Rest, receipts: readonly Receipt[]): Promise<void> {
  const { id: projectId } = await getBody(rest.post("/api/v1/projects", { name: "Receipts" }), 201);
  const project = `/api/v1/projects/${projectId}`;
  const model = await getBody(
    rest.post(`${project}/deployments`, {
      name: "Receipts",
      tables: [{ slug: "receipt" }],
      columns: [
        { slug: "company", name: "Company" },
        { slug: "date", name: "Date", type: "DATE" },
        { slug: "address", name: "Address" },
        { slug: "total", name: "Total", type: "NUMBER" },
      ],
    }),
    201,
  );
  const imported: string[] = [];
  for (const receipt of receipts) {
    const file = await getBody(rest.upload(`${project}/files`, `${receipt.id}.pdf`, await createPdf(receipt)), 201);
    imported.push(JSON.stringify({ fileId: file.id, values: getTypedValues(receipt) }));
  }
  const text = Buffer.from(imported.join("\n"));
  const fields = { deploymentId: model.id };
  const answer = await getBody(rest.upload(`${project}/accepted-values:import`, "accepted.jsonl", text, fields), 200);
  console.log(`${receipts.length} receipts, ${answer.accepted} accepted`);
  for (const { line, field, message } of answer.faults) console.log(`  line ${line}: ${field} ${message}`);
  const body = { deploymentId: model.id, name: "Evaluation" };
  const { executionId } = await getBody(rest.post(`${project}/benchmarks`, body), 201);
  const execution = await finishedExecution(rest, executionId, timeoutMs);
  const seconds = (Date.parse(execution.completedAt) - Date.parse(execution.startedAt)) / 1_000;
  const { done, failed } = execution.progress;
  console.log(`${execution.status}: ${done} files, ${failed} failed, ${seconds.toFixed(1)} s\n`);
  const { data } = await getBody(rest.get(`/api/v1/benchmarks/${executionId}/files?limit=500`), 200);
  for (const { filename, error } of data) if (error) console.log(`  ${filename}: ${error.code} ${error.message}`);
  print(await getBody(rest.get(`/api/v1/benchmarks/${executionId}/metrics`), 200));
}

function print({ aggregated, byColumn, latency }: any): void {
  const percent = (figure: number | null): string => (figure === null ? "n/a" : (100 * figure).toFixed(1));
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(10) : cell.padStart(11))).join(" ");
  console.log(
    line(["column", "right %", "95 %", "precision", "recall", "f1", "strict f1", "wrong", "missing", "invented"]),
  );
  for (const figures of [...byColumn, { ...aggregated, slug: "all" }]) {
    const { slug, successRate, ci95, precision, recall, f1, strict, outcomes } = figures;
    const interval = ci95 === null ? "n/a" : `${percent(ci95.low)}-${percent(ci95.high)}`;
    const { wrong, missing, invented } = outcomes;
    const rates = [precision, recall, f1, strict.f1].map(percent);
    console.log(line([slug, percent(successRate), interval, ...rates, ...[wrong, missing, invented].map(String)]));
  }
  const { anls, exactFileRate } = aggregated;
  console.log(`\nANLS* ${percent(anls)} %, files with every cell right ${percent(exactFileRate)} %`);
  const [p50, p95, max] = [latency.p50, latency.p95, latency.max].map((ms: number) => `${ms.toFixed(0)} ms`);
  console.log(`extraction of a file: median ${p50}, 95 % within ${p95}, slowest ${max}`);
}

/** Creates a PDF of one page that has each line in its box. */
async function createPdf({ lines }: Receipt): Promise<Uint8Array> {
  const boxes = lines.map(({ box }) => getBounds(box));
  const size: [number, number] = [
    Math.max(...boxes.map(({ x1 }) => x1)) + 20,
    Math.max(...boxes.map(({ y1 }) => y1)) + 20,
  ];
  const page = new PDFDocument({ size, margin: 0 });
  const pieces: Buffer[] = [];
  page.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => page.once("end", resolve));
  lines.forEach(({ text }, index) => {
    const { x0, x1, y0, y1 } = boxes[index] as (typeof boxes)[number];
    page.fontSize(Math.max(1, (y1 - y0) * 0.8));
    const horizontalScaling = (100 * (x1 - x0)) / Math.max(1, page.widthOfString(text));
    // The types lack `horizontalScaling`.
    const options = { lineBreak: false, horizontalScaling };
    page.text(text, x0, y0, options);
  });
  page.end();
  await ended;
  return new Uint8Array(Buffer.concat(pieces));
}

const folder = process.env["DOCUMENT_SETS"];
if (folder === undefined || folder === "") console.log("skipped: DOCUMENT_SETS names no folder");
else await main(folder);
