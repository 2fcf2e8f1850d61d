/** `npm run evaluate -- extraction`: measures the extraction engine on the receipts and invoices of the folder DOCUMENT_SETS. */
import { extractTables } from "@switchyard/extraction/domain/engines/local/extract";
import { createConfiguration } from "./configuration.ts";
import { measureInvoices } from "./invoice-set.ts";
import { readReceipts, toDocumentText, typedColumns } from "./receipt-set.ts";
import type { Receipt } from "./receipt-set.ts";
import { clean, report, show, toCell } from "./scoring.ts";
import type { Cell } from "./scoring.ts";

async function receipts(folder: string): Promise<void> {
  const set = await readReceipts(folder);
  const configuration = createConfiguration({ receipt: typedColumns });
  const cells: Cell[] = [];
  let milliseconds = 0;
  for (const receipt of set) {
    const text = toDocumentText(receipt);
    const start = performance.now();
    const row = extractTables(text, configuration)[0]?.rows[0];
    milliseconds += performance.now() - start;
    for (const [slug] of typedColumns) {
      const cell = toCell(
        row,
        slug,
        clean(receipt.accepted[slug as keyof Receipt["accepted"]]),
        slug !== "company" && slug !== "address",
        slug === "total" ? "number" : slug === "date" ? "date" : "text",
      );
      cells.push(cell);
      show(receipt.id, cell);
    }
  }
  report(`receipts (${String(set.length)} documents, ${(milliseconds / set.length).toFixed(1)} ms each)`, cells);
}

const folder = process.env["DOCUMENT_SETS"];
if (!folder) console.log("skipped: DOCUMENT_SETS is not set");
else {
  await receipts(folder);
  // The page alone is measured here; `npm run evaluate -- invoices` measures what the XML adds.
  await measureInvoices(folder, { xml: false });
}
