import { table } from "@switchyard/terminal";
import type { Cell, Column, Table } from "@switchyard/terminal";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Api } from "./api.ts";

/** The folder of the bundled sample documents. */
export const sampleFolder = new URL("../../../../samples/", import.meta.url);

interface Classification {
  filename: string;
  status: "CLASSIFIED" | "UNCLASSIFIED";
  reason: { code: string; message: string } | null;
  routeName: string | null;
  deploymentName: string | null;
  confidence: number | null;
  extraction: { id: string; status: string } | null;
}

type Value = string | number | boolean | null;

interface Extraction {
  status: "RUNNING" | "COMPLETED" | "FAILED";
  tables: { slug: string; rows: { values: Record<string, Value> }[] }[];
  error: { message: string } | null;
}

const columns: readonly Column[] = [
  { title: "document", content: "text" },
  { title: "route", content: "text" },
  { title: "confidence", right: true },
  { title: "deployment", content: "text" },
  { title: "values, or the reason", content: "text" },
];

/** Lists the names of the bundled documents: all files in the folder except programs and explanations. */
async function sampleNames(): Promise<string[]> {
  return (await readdir(sampleFolder)).filter((name) => /\.(pdf|eml|txt|html|jpg)$/.test(name)).sort();
}

/**
 * Classifies all sample documents at the same time, because recognizing pictures takes seconds, and reports to `onProgress` when one is done.
 * Returns a table of documents, routes and values, or the reasons of those that are unclassified.
 */
export async function classifySamples(
  api: Api,
  classifierId: string,
  onProgress: (done: number, total: number, name: string) => void,
): Promise<Table> {
  const names = await sampleNames();
  let done = 0;
  const rows = await Promise.all(
    names.map(async (name): Promise<Cell[]> => {
      const bytes = new Uint8Array(await readFile(new URL(name, sampleFolder)));
      const record = await api.upload<Classification>(`/api/v1/classify/${classifierId}`, name, bytes);
      const values = await outcome(api, record);
      done += 1;
      onProgress(done, names.length, name);
      const { routeName, status, confidence, deploymentName } = record;
      return [name, routeName ?? status, confidence?.toFixed(2), deploymentName, values];
    }),
  );
  return table(columns, rows);
}

async function outcome(api: Api, { reason, extraction }: Classification): Promise<string> {
  if (reason !== null) return `${reason.code}: ${reason.message}`;
  if (extraction === null) return "";
  const { tables, error } = await finished(api, extraction.id);
  if (error !== null) return error.message;
  const [primary, ...others] = tables;
  const values = Object.values(primary?.rows[0]?.values ?? {}).filter((value) => value !== null);
  const counts = others
    .filter(({ rows }) => rows.length > 0)
    .map(({ slug, rows }) => `${rows.length} ${slug.replace("_", " ")}`);
  return [...values.slice(0, 4).map(String), ...counts].join(" · ");
}

async function finished(api: Api, extractionId: string): Promise<Extraction> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const extraction = await api.get<Extraction>(`/api/v1/extractions/${extractionId}`);
    if (extraction.status !== "RUNNING" || Date.now() > deadline) return extraction;
    await sleep(50);
  }
}
