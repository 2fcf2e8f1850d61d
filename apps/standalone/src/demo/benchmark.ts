import { table } from "@switchyard/terminal";
import type { Table } from "@switchyard/terminal";
import { readFile } from "node:fs/promises";
import type { Api } from "./api.ts";
import { compareRuns } from "./comparison.ts";
import { sampleFolder } from "./samples.ts";
import type { Demo } from "./seed.ts";

interface Progress {
  status: "RUNNING" | "COMPLETED" | "FAILED" | "CANCELLED";
  progress: { total: number; done: number };
}

interface Figures {
  successRate: number | null;
  precision: number | null;
  recall: number | null;
  outcomes: { correct: number; wrong: number; missing: number; invented: number };
}

interface Metrics {
  aggregated: Figures;
  byColumn: (Figures & { table: string; slug: string })[];
}

interface AcceptedSample {
  filename: string;
  invoice: Record<string, string | number | null>;
  lineItems: [description: string, quantity: number, unitPrice: number, amount: number][];
}

/** The correct values of the two sample invoices. */
const acceptedSamples: readonly AcceptedSample[] = [
  {
    filename: "invoice-harbour-lane.pdf",
    invoice: {
      invoice_number: "HL-2026-0417",
      invoice_date: "2026-10-12",
      due_date: "2026-11-11",
      seller: "Harbour Lane Supplies Ltd",
      vat_id: "GB123456789",
      net_amount: 1120,
      tax_amount: 224,
      total: 1344,
      order_number: "PO-88213",
      iban: "GB33 BUKB 2020 1555 5555 55",
    },
    lineItems: [
      ["Flour sacks, 25 kg", 40, 18.5, 740],
      ["Baking trays, steel", 12, 23.75, 285],
      ["Delivery to Hamburg", 1, 95, 95],
    ],
  },
  {
    filename: "invoice-brightwater.pdf",
    invoice: {
      invoice_number: "BW-7731",
      invoice_date: "2026-10-15",
      due_date: "2026-11-14",
      seller: "Brightwater Print",
      vat_id: "DE811234567",
      net_amount: 400,
      tax_amount: 76,
      total: 476,
      order_number: null,
      iban: null,
    },
    lineItems: [
      ["Paper bags, printed, large", 2000, 0.15, 300],
      ["Paper bags, printed, small", 1000, 0.1, 100],
    ],
  },
];

/** The metrics of the current version of the model, and how it compares with the first version. */
export interface DemoFigures {
  readonly metrics: Table;
  readonly comparison: Table;
}

/**
 * Accepts the correct values of two sample invoices, runs a benchmark of the first and of the current version of the model over them, and
 * reports its progress.
 */
export async function benchmarkSamples(
  api: Api,
  { payableId, invoicesId }: Pick<Demo, "payableId" | "invoicesId">,
  onProgress: (done: number, total: number) => void,
): Promise<DemoFigures> {
  const fileIds: string[] = [];
  for (const { filename, invoice, lineItems } of acceptedSamples) {
    const bytes = new Uint8Array(await readFile(new URL(filename, sampleFolder)));
    const file = await api.upload<{ id: string }>(`/api/v1/projects/${payableId}/files`, filename, bytes);
    const rows = lineItems.map(([description, quantity, unitPrice, amount]) => ({
      values: { description, quantity, unit_price: unitPrice, amount },
    }));
    await api.put(`/api/v1/files/${file.id}/accepted-values`, {
      deploymentId: invoicesId,
      tables: [
        { slug: "invoice", rows: [{ values: invoice }] },
        { slug: "line_items", rows },
      ],
    });
    fileIds.push(file.id);
  }

  async function run(name: string, extractionSchemaId?: string): Promise<string> {
    const { executionId } = await api.post<{ executionId: string }>(`/api/v1/projects/${payableId}/benchmarks`, {
      deploymentId: invoicesId,
      name,
      fileIds,
      extractionSchemaId,
    });
    for await (const { progress } of api.events<Progress>(`/api/v1/benchmarks/${executionId}/events`)) {
      onProgress(progress.done, progress.total);
    }
    return executionId;
  }

  const versionsPath = `/api/v1/deployments/${invoicesId}/configuration/versions`;
  const { data: versions } = await api.get<{ data: { extractionSchemaId: string; version: number }[] }>(versionsPath);
  const first = await run("First version", versions.find(({ version }) => version === 1)?.extractionSchemaId);
  const current = await run("Current version");
  const { aggregated, byColumn } = await api.get<Metrics>(`/api/v1/benchmarks/${current}/metrics`);
  const rows = byColumn.map((column) => row(`${column.table}.${column.slug}`, column));
  const figures = ["correct cells", "precision", "recall", "correct", "wrong", "missing", "invented"];
  return {
    metrics: table(
      [{ title: "column", content: "text" }, ...figures.map((title) => ({ title, right: true }))],
      [...rows, row("all", aggregated)],
    ),
    comparison: await compareRuns(api, first, current),
  };
}

function row(name: string, { successRate, precision, recall, outcomes }: Figures): string[] {
  const { correct, wrong, missing, invented } = outcomes;
  return [name, ...[successRate, precision, recall].map(percent), ...[correct, wrong, missing, invented].map(String)];
}

function percent(figure: number | null): string {
  return figure === null ? "n/a" : `${(100 * figure).toFixed(0)} %`;
}
