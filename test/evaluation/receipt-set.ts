import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** A receipt of the document set: its accepted values, and its lines with the polygons in which they are printed. */
export interface Receipt {
  id: string;
  accepted: Partial<Record<"company" | "date" | "address" | "total", string>>;
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
