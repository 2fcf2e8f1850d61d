// Measures the extraction engine on the document sets of the folder that DOCUMENT_SETS names: `node test/evaluation/extraction.ts`.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { create, fromBinary } from "@bufbuild/protobuf";
import {
  ColumnSchema,
  ColumnType,
  ConfigurationSchema,
  TableSchema,
  type Configuration,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema, type DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedRow } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { extractTables } from "@switchyard/extraction/domain/extract";
import { createDocumentReader } from "@switchyard/extraction/reading";

interface Cell {
  column: string;
  expected: string | null;
  actual: string | null;
  exact: boolean;
  typed: boolean;
  confidence: number;
}

type ColumnSpec = readonly [slug: string, name: string, type: ColumnType, description?: string];

interface Receipt {
  id: string;
  accepted: Record<string, string | undefined>;
  lines: { box: number[]; text: string }[];
}

interface Invoice {
  file: string;
  accepted: Record<string, string | undefined>;
  items: { name?: string; qty?: string; price?: string; total?: string }[];
}

const RECEIPT_COLUMNS: readonly ColumnSpec[] = [
  ["company", "Company", ColumnType.TEXT],
  ["date", "Date", ColumnType.DATE],
  ["address", "Address", ColumnType.TEXT],
  ["total", "Total", ColumnType.NUMBER],
];
const INVOICE_COLUMNS: readonly ColumnSpec[] = [
  ["number", "Invoice number", ColumnType.TEXT],
  ["date", "Invoice date", ColumnType.DATE],
  ["seller", "Seller name", ColumnType.TEXT],
  ["net", "Net amount", ColumnType.NUMBER],
  ["tax", "Tax amount", ColumnType.NUMBER],
  ["grand", "Total amount", ColumnType.NUMBER],
  ["due", "Amount due", ColumnType.NUMBER],
  ["vat", "VAT ID", ColumnType.TEXT],
  ["iban", "IBAN", ColumnType.TEXT],
  ["currency", "Currency", ColumnType.TEXT],
  ["buyer", "Buyer name", ColumnType.TEXT],
];
const HEADER = ["number", "date", "seller", "net", "tax", "grand", "due"];
const ITEM_COLUMNS: readonly ColumnSpec[] = [
  ["name", "Description", ColumnType.TEXT],
  ["qty", "Quantity", ColumnType.NUMBER],
  ["price", "Unit price", ColumnType.NUMBER],
  ["total", "Amount", ColumnType.NUMBER],
];

function createConfiguration(tables: Readonly<Record<string, readonly ColumnSpec[]>>): Configuration {
  return create(ConfigurationSchema, {
    tables: Object.keys(tables).map((slug, index) =>
      create(TableSchema, { id: slug, slug, name: slug, isPrimary: index === 0 }),
    ),
    columns: Object.entries(tables).flatMap(([tableId, columns]) =>
      columns.map(([slug, name, type, description], index) =>
        create(ColumnSchema, {
          id: `${tableId}.${slug}`,
          tableId,
          slug,
          name,
          type,
          index,
          description: description ?? "",
        }),
      ),
    ),
  });
}

function receiptText(receipt: Receipt): DocumentText {
  const boxes = receipt.lines.map((line) => bounds(line.box));
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

function bounds(box: readonly number[]): { x0: number; y0: number; x1: number; y1: number } {
  const xs = box.filter((_, index) => index % 2 === 0);
  const ys = box.filter((_, index) => index % 2 === 1);
  return { x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys) };
}

function scalar(row: ExtractedRow | undefined, slug: string): string | number | null {
  const kind = row?.values[slug]?.kind;
  return kind?.case === "stringValue" || kind?.case === "numberValue" ? kind.value : null;
}

const letters = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\d]/gu, "");
const clean = (value: string | undefined): string | null => (value?.trim() ? value.trim() : null);

function toCell(
  row: ExtractedRow | undefined,
  column: string,
  expected: string | null,
  printed: boolean,
  typedAs: "number" | "text" | "date",
): Cell {
  const value = scalar(row, column);
  // The set's labels are as printed: numbers and days are compared by their quote there, and by their value as typed.
  const actual =
    value === null
      ? null
      : printed
        ? (row?.evidence[column]?.quote ?? String(value)).replaceAll("\n", " ")
        : String(value);
  const typed =
    value !== null &&
    expected !== null &&
    (typedAs === "number"
      ? Math.abs(Number(value) - Number(expected.replace(/[^\d.-]/gu, ""))) < 0.005
      : typedAs === "date"
        ? letters(actual ?? "") === letters(expected) || letters(String(value)) === letters(expected)
        : letters(String(value)) === letters(expected));
  return { column, expected, actual, exact: actual === expected, typed, confidence: row?.confidence[column] ?? 0 };
}

function score(
  cells: readonly Cell[],
  right: (cell: Cell) => boolean,
): { precision: number; recall: number; f1: number } {
  const given = cells.filter((cell) => cell.actual !== null).length;
  const wanted = cells.filter((cell) => cell.expected !== null).length;
  const hits = cells.filter((cell) => cell.actual !== null && cell.expected !== null && right(cell)).length;
  return {
    precision: hits / Math.max(1, given),
    recall: hits / Math.max(1, wanted),
    f1: (2 * hits) / Math.max(1, given + wanted),
  };
}

function calibrationError(cells: readonly Cell[]): number {
  const given = cells.filter((cell) => cell.actual !== null);
  let error = 0;
  for (let bin = 0; bin < 10; bin += 1) {
    const inside = given.filter((cell) => Math.min(9, Math.floor(cell.confidence * 10)) === bin);
    const confidence = inside.reduce((sum, cell) => sum + cell.confidence, 0);
    error += Math.abs(confidence - inside.filter((cell) => cell.typed).length);
  }
  return error / Math.max(1, given.length);
}

function report(title: string, cells: readonly Cell[]): void {
  const line = (name: string, some: readonly Cell[]): string => {
    const exact = score(some, (cell) => cell.exact);
    const typed = score(some, (cell) => cell.typed);
    const figures = [exact.f1, typed.precision, typed.recall, typed.f1].map((figure) => figure.toFixed(3));
    return `  ${name.padEnd(10)} exact F1 ${figures[0]}  typed P ${figures[1]} R ${figures[2]} F1 ${figures[3]}`;
  };
  console.log(title);
  for (const column of new Set(cells.map((cell) => cell.column)))
    console.log(
      line(
        column,
        cells.filter((cell) => cell.column === column),
      ),
    );
  console.log(`${line("all", cells)}  calibration error ${calibrationError(cells).toFixed(3)}`);
}

async function receipts(folder: string): Promise<void> {
  const lines = gunzipSync(await readFile(path.join(folder, "receipts/receipts.jsonl.gz")))
    .toString("utf8")
    .trim()
    .split("\n");
  const configuration = createConfiguration({ receipt: RECEIPT_COLUMNS });
  const cells: Cell[] = [];
  let milliseconds = 0;
  for (const line of lines) {
    const receipt = JSON.parse(line) as Receipt;
    const text = receiptText(receipt);
    const start = performance.now();
    const row = extractTables(text, configuration)[0]?.rows[0];
    milliseconds += performance.now() - start;
    for (const [slug] of RECEIPT_COLUMNS) {
      const cell = toCell(
        row,
        slug,
        clean(receipt.accepted[slug]),
        slug !== "company" && slug !== "address",
        slug === "total" ? "number" : slug === "date" ? "date" : "text",
      );
      cells.push(cell);
      show(receipt.id, cell);
    }
  }
  report(`receipts (${String(lines.length)} documents, ${(milliseconds / lines.length).toFixed(1)} ms each)`, cells);
}

async function invoices(folder: string): Promise<void> {
  const set = JSON.parse(await readFile(path.join(folder, "invoices/accepted.json"), "utf8")) as Invoice[];
  const configuration = createConfiguration({ invoice: INVOICE_COLUMNS, items: ITEM_COLUMNS });
  const reader = createDocumentReader();
  const cells: Cell[] = [];
  const rows = { given: 0, wanted: 0, right: 0, whole: 0, documents: 0 };
  let milliseconds = 0;
  for (const invoice of set) {
    const bytes = await readFile(path.join(folder, "invoices", invoice.file));
    const { text } = await reader.read({ bytes, filename: invoice.file, contentType: "application/pdf" });
    const start = performance.now();
    const [header, items] = extractTables(fromBinary(DocumentTextSchema, text), configuration);
    milliseconds += performance.now() - start;
    const row = header?.rows[0];
    for (const [slug, , type] of INVOICE_COLUMNS) {
      const raw = clean(invoice.accepted[slug]);
      const expected = slug === "date" && raw ? `${raw.slice(0, 4)}-${raw.slice(4, 6)}-${raw.slice(6, 8)}` : raw;
      const cell = toCell(
        row,
        slug,
        expected,
        false,
        type === ColumnType.NUMBER ? "number" : type === ColumnType.DATE ? "date" : "text",
      );
      cells.push(cell);
      show(invoice.file, cell);
    }
    const wanted = invoice.items.filter((item) => item.qty !== undefined && item.total !== undefined);
    // Where the accepted values have no rows, or rows without sums, what is printed cannot be judged.
    if (wanted.length === 0) continue;
    rows.documents += 1;
    const left = [...(items?.rows ?? [])];
    const given = left.length;
    let right = 0;
    for (const item of wanted) {
      const at = left.findIndex(
        (each) => near(scalar(each, "qty"), item.qty) && near(scalar(each, "total"), item.total),
      );
      if (at >= 0) {
        left.splice(at, 1);
        right += 1;
      }
    }
    if (process.env["SHOW_ERRORS"] !== undefined && (right !== wanted.length || given !== wanted.length)) {
      console.log(
        `${invoice.file} rows: ${String(right)} right of ${String(given)} given, ${String(wanted.length)} wanted`,
      );
    }
    rows.given += given;
    rows.wanted += wanted.length;
    rows.right += right;
    rows.whole += right === wanted.length && given === wanted.length ? 1 : 0;
  }
  await reader.close();
  report("invoices, all header fields", cells);
  report(
    `invoices (${String(set.length)} documents, ${(milliseconds / set.length).toFixed(1)} ms each): ${HEADER.join(", ")}`,
    cells.filter((cell) => HEADER.includes(cell.column)),
  );
  const precision = rows.right / Math.max(1, rows.given);
  const recall = rows.right / Math.max(1, rows.wanted);
  const f1 = (2 * rows.right) / Math.max(1, rows.given + rows.wanted);
  console.log(
    `line items: P ${precision.toFixed(3)} R ${recall.toFixed(3)} F1 ${f1.toFixed(3)} (${String(rows.right)} of ${String(rows.wanted)} rows; all right in ${String(rows.whole)} of ${String(rows.documents)} documents that have them)`,
  );
}

function near(actual: string | number | null, expected: string | undefined): boolean {
  return actual !== null && expected !== undefined && Math.abs(Number(actual) - Number(expected)) < 0.005;
}

function show(id: string, cell: Cell): void {
  const wanted = process.env["SHOW_ERRORS"];
  if (wanted === undefined || (wanted !== "" && wanted !== cell.column) || cell.typed || cell.expected === cell.actual)
    return;
  console.log(
    `${id} ${cell.column}: expected ${JSON.stringify(cell.expected)}, got ${JSON.stringify(cell.actual)} (${cell.confidence.toFixed(2)})`,
  );
}

const folder = process.env["DOCUMENT_SETS"];
if (!folder) console.log("skipped: DOCUMENT_SETS is not set");
else {
  await receipts(folder);
  await invoices(folder);
}
