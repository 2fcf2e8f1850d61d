import { create } from "@bufbuild/protobuf";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema, type DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { createConfiguration } from "./configuration.ts";
import type { ColumnSpec } from "./configuration.ts";

/** The columns of the document set. */
export const textColumns = ["company", "date", "address", "total"] as const;

/** The columns with the types that a user would choose. */
export const typedColumns: readonly ColumnSpec[] = [
  ["company", "Company", ColumnType.TEXT],
  ["date", "Date", ColumnType.DATE],
  ["address", "Address", ColumnType.TEXT],
  ["total", "Total", ColumnType.NUMBER],
];

/** A configuration in which they are all texts, which are compared exactly. */
export const textConfiguration = createConfiguration({
  receipt: typedColumns.map(([slug, name]) => [slug, name, ColumnType.TEXT]),
});

/** A receipt of the document set: its accepted values, and its lines with the polygons in which they are printed. */
export interface Receipt {
  id: string;
  accepted: Partial<Record<(typeof textColumns)[number], string>>;
  lines: { box: number[]; text: string }[];
}

/** Reads the receipts of a folder of document sets. */
export async function readReceipts(folder: string): Promise<Receipt[]> {
  const bytes = await readFile(join(folder, "receipts/receipts.jsonl.gz"));
  const lines = gunzipSync(bytes).toString("utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Receipt);
}

/** Returns the smallest rectangle around a polygon, which is a list of alternating x and y. */
export function getBounds(box: readonly number[]): { x0: number; y0: number; x1: number; y1: number } {
  const xs = box.filter((_, index) => index % 2 === 0);
  const ys = box.filter((_, index) => index % 2 === 1);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

/** Returns the text of a receipt as the reader of documents would: words with their boxes, from top to bottom. */
export function toDocumentText(receipt: Receipt): DocumentText {
  const boxes = receipt.lines.map((line) => getBounds(line.box));
  const width = Math.max(1, ...boxes.map((box) => box.x1)) * 1.02;
  const height = Math.max(1, ...boxes.map((box) => box.y1)) * 1.02;
  const order = boxes.map((box, index) => ({ box, index })).sort((one, other) => one.box.y0 - other.box.y0);
  const lines = order.map(({ box, index }) => {
    const text = receipt.lines[index]?.text ?? "";
    const part = (from: number, to: number) => ({
      x: (box.x0 + ((box.x1 - box.x0) * from) / Math.max(1, text.length)) / width,
      y: box.y0 / height,
      width: ((box.x1 - box.x0) * (to - from)) / Math.max(1, text.length) / width,
      height: (box.y1 - box.y0) / height,
    });
    const words = [...text.matchAll(/\S+/gu)].map((match) => ({
      text: match[0],
      offset: match.index,
      box: part(match.index, match.index + match[0].length),
    }));
    return { text, words, box: part(0, text.length) };
  });
  return create(DocumentTextSchema, { pages: [{ number: 1, width, height, lines }], reader: "given" });
}
