import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../processes.ts";
import type { Rest } from "../rest.ts";

/** Reads a bundled sample document. */
export async function sample(name: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(join(root, "samples", name)));
}

/** A project with two models, one of which has a deployment that serves its first schema, and a classifier. */
export interface Office {
  projectId: string;
  invoices: string;
  /** The schema that the deployment serves. */
  firstSchema: string;
  /** The current schema of the model. */
  secondSchema: string;
  deployment: string;
  receipts: string;
  classifier: string;
}

async function created(response: Promise<{ status: number; body: any; text: string }>): Promise<any> {
  const { status, body, text } = await response;
  if (status !== 201 && status !== 200) throw new Error(`${status} ${text}`);
  return body;
}

const invoiceColumns = [
  { table: "invoice", slug: "invoice_number", name: "Invoice number" },
  { table: "invoice", slug: "invoice_date", name: "Invoice date", type: "DATE" },
  { table: "invoice", slug: "total", name: "Total amount", type: "NUMBER", synonyms: ["Total due"] },
  { table: "line_items", slug: "description", name: "Description" },
  { table: "line_items", slug: "quantity", name: "Quantity", type: "NUMBER" },
  { table: "line_items", slug: "unit_price", name: "Unit price", type: "NUMBER" },
  { table: "line_items", slug: "amount", name: "Amount", type: "NUMBER" },
];

/** Creates an office over REST. */
export async function createOffice(rest: Rest, name: string): Promise<Office> {
  const { id: projectId } = await created(rest.post("/api/v1/projects", { name }));
  const models = `/api/v1/projects/${projectId}/deployments`;
  const tables = [
    { slug: "invoice", name: "Invoice", isPrimary: true },
    { slug: "line_items", name: "Line items", isPrimary: false },
  ];
  const invoices = await created(rest.post(models, { name: "Invoices", tables, columns: invoiceColumns }));
  const deployment = await created(
    rest.post(`/api/v1/deployments/${invoices.id}/deployments`, { name: "Invoices, stable" }),
  );
  const changed = await created(
    rest.patch(`/api/v1/deployments/${invoices.id}/configuration`, {
      columns: [...invoiceColumns, { table: "invoice", slug: "iban", name: "IBAN" }],
    }),
  );
  const receipts = await created(
    rest.post(models, {
      name: "Receipts",
      tables: [{ slug: "receipt", isPrimary: true }],
      columns: [
        { slug: "company", name: "Company" },
        { slug: "date", name: "Date", type: "DATE" },
        { slug: "total", name: "Total", type: "NUMBER" },
      ],
    }),
  );
  const classifier = await created(
    rest.post("/api/v1/classify", {
      projectId,
      name: `${name} inbox`,
      routes: [
        {
          deploymentId: invoices.id,
          targetDeploymentId: deployment.id,
          name: "Invoice",
          description: "Supplier invoice for goods or services delivered, with amount due and payment terms.",
        },
        {
          deploymentId: receipts.id,
          name: "Receipt",
          description: "Shop or restaurant receipt for a purchase, printed at a till.",
        },
      ],
    }),
  );
  return {
    projectId,
    invoices: invoices.id,
    firstSchema: invoices.extractionSchemaId,
    secondSchema: changed.extractionSchemaId,
    deployment: deployment.id,
    receipts: receipts.id,
    classifier: classifier.id,
  };
}

/** Waits until an extraction has ended, and returns it. */
export async function finishedExtraction(rest: Rest, extractionId: string, timeoutMs = 180_000): Promise<any> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline;) {
    const { status, body, text } = await rest.get(`/api/v1/extractions/${extractionId}`);
    if (status === 200 && body.status !== "RUNNING") return body;
    // A busy machine may refuse a request, or take too long for it.
    if (![200, 503, 504].includes(status)) throw new Error(`${status} instead of 200: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`the extraction ${extractionId} is still RUNNING`);
}
