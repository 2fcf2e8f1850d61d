import { readFile } from "node:fs/promises";
import path from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ContradictionCode, type Contradiction } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { extractTables } from "@switchyard/extraction/domain/engines/local/extract";
import { createDocumentReader } from "@switchyard/extraction/reading";
import { createConfiguration } from "./configuration.ts";
import type { ColumnSpec } from "./configuration.ts";
import { clean, getScalar, isNear, report, show, toCell } from "./scoring.ts";
import type { Cell } from "./scoring.ts";

interface Invoice {
  file: string;
  accepted: Record<string, string | undefined>;
  items: { name?: string; qty?: string; price?: string; total?: string }[];
}

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

const isMismatch = ({ code }: Contradiction): boolean => code === ContradictionCode.XML_MISMATCH;

/**
 * Measures the extraction of the invoices in a folder, and prints the figures. With `xml`, the electronic invoice in each file is read as well;
 * otherwise only its pages are. The accepted values are those of the XML.
 */
export async function measureInvoices(folder: string, { xml }: { readonly xml: boolean }): Promise<void> {
  const set = JSON.parse(await readFile(path.join(folder, "invoices/accepted.json"), "utf8")) as Invoice[];
  const configuration = createConfiguration({ invoice: INVOICE_COLUMNS, items: ITEM_COLUMNS });
  const reader = createDocumentReader();
  const cells: Cell[] = [];
  const rows = { given: 0, wanted: 0, right: 0, whole: 0, documents: 0 };
  let milliseconds = 0;
  let stated = 0;
  let contradicted = 0;
  for (const invoice of set) {
    const bytes = await readFile(path.join(folder, "invoices", invoice.file));
    const { text } = await reader.read({ bytes, filename: invoice.file, contentType: "application/pdf" });
    const start = performance.now();
    const document = fromBinary(DocumentTextSchema, text);
    if (!xml) document.facts = [];
    else if (document.facts.length > 0) stated += 1;
    const [header, items] = extractTables(document, configuration);
    milliseconds += performance.now() - start;
    const row = header?.rows[0];
    const mismatches = [header, items].flatMap((table) => table?.contradictions ?? []).filter(isMismatch);
    if (mismatches.length > 0) contradicted += 1;
    if (process.env["SHOW_ERRORS"] !== undefined)
      for (const { message } of mismatches) console.log(`${invoice.file}: ${message}`);
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
    // Without accepted rows, or with rows without sums, the extracted rows cannot be judged.
    if (wanted.length === 0) continue;
    rows.documents += 1;
    const left = [...(items?.rows ?? [])];
    const given = left.length;
    let right = 0;
    for (const item of wanted) {
      const at = left.findIndex(
        (each) => isNear(getScalar(each, "qty"), item.qty) && isNear(getScalar(each, "total"), item.total),
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
  if (xml)
    console.log(
      `${String(stated)} of ${String(set.length)} invoices have XML; ${String(contradicted)} print something else than their XML states`,
    );
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
