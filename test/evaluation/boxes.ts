/**
 * `npm run evaluate -- boxes`: makes invoices as PDFs, of which the place of every value is known, and measures how many of the right values
 * that the extraction engine gives have a box there: their rectangles share at least half of what they cover together.
 */
import { fromBinary } from "@bufbuild/protobuf";
import { ColumnType, type Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { DocumentTextSchema, type Box } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedRow } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { extractTables } from "@switchyard/extraction/domain/engines/local/extract";
import { createDocumentReader } from "@switchyard/extraction/reading";
import PDFDocument from "pdfkit";
import { createConfiguration } from "./configuration.ts";
import { getScalar } from "./scoring.ts";

const DOCUMENTS = 60;
const PAGE = { width: 595, height: 842 };

/** A value of a made invoice with its place on the page, in points. */
interface PlacedValue {
  readonly value: string | number;
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
}

interface Made {
  readonly bytes: Uint8Array;
  readonly header: Readonly<Record<string, PlacedValue>>;
  readonly rows: readonly Readonly<Record<string, PlacedValue>>[];
}

const configuration: Configuration = createConfiguration({
  invoice: [
    ["number", "Invoice number", ColumnType.TEXT],
    ["date", "Invoice date", ColumnType.DATE],
    ["seller", "Seller name", ColumnType.TEXT],
    ["buyer", "Buyer name", ColumnType.TEXT],
    ["net", "Net amount", ColumnType.NUMBER],
    ["tax", "Tax amount", ColumnType.NUMBER],
    ["total", "Total amount", ColumnType.NUMBER],
  ],
  items: [
    ["description", "Description", ColumnType.TEXT],
    ["quantity", "Quantity", ColumnType.NUMBER],
    ["price", "Unit price", ColumnType.NUMBER],
    ["amount", "Amount", ColumnType.NUMBER],
  ],
});

/** Makes an invoice whose fonts, margins, sizes and columns follow from its number. */
async function makeInvoice(index: number): Promise<Made> {
  const document = new PDFDocument({ size: "A4", margin: 0 });
  const pieces: Buffer[] = [];
  document.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = new Promise((resolve) => document.once("end", resolve));
  const size = 8 + (index % 5);
  const left = 40 + 7 * (index % 4);
  const font = ["Helvetica", "Times-Roman", "Courier"][index % 3] ?? "Helvetica";
  const bold = ["Helvetica-Bold", "Times-Bold", "Courier-Bold"][index % 3] ?? "Helvetica-Bold";
  let y = 40 + 5 * (index % 6);
  const print = (text: string, x: number, face = font, height = size): PlacedValue => {
    document.font(face).fontSize(height).text(text, x, y, { lineBreak: false });
    return { value: text, box: { x, y, width: document.widthOfString(text), height: document.currentLineHeight() } };
  };
  const amount = (value: number, right: number): PlacedValue => {
    const text = value.toFixed(2);
    document.font(font).fontSize(size);
    return { ...print(text, right - document.widthOfString(text)), value };
  };
  const next = (lines = 1): void => {
    y += lines * size * 1.5;
  };
  const header: Record<string, PlacedValue> = {};
  header["seller"] = print(`Marlow ${String.fromCharCode(65 + (index % 26))} Pike Ltd`, left, bold, size + 4);
  next(2);
  print("7 Quay Road, Exeter EX2 4AN", left);
  next(2);
  print("Bill to:", left);
  print("Invoice number:", 330);
  header["number"] = print(`MP-${String(2_000 + 37 * index)}`, 440);
  next();
  header["buyer"] = print("Fernhill School Ltd", left);
  print("Invoice date:", 330);
  const day = String(1 + (index % 28)).padStart(2, "0");
  header["date"] = { ...print(`${day}/03/2026`, 440), value: `2026-03-${day}` };
  next(3);
  const [quantityAt, priceAt, amountAt] = [330, 430, 540 - 10 * (index % 3)];
  const title = (text: string, right: number): void => {
    document.font(bold).fontSize(size);
    print(text, right - document.widthOfString(text), bold);
  };
  print("Description", left, bold);
  title("Quantity", quantityAt);
  title("Unit price", priceAt);
  title("Amount", amountAt);
  next(1.5);
  const rows: Record<string, PlacedValue>[] = [];
  let sum = 0;
  for (let row = 0; row < 3 + (index % 9); row += 1) {
    const count = 1 + ((index + 3 * row) % 7);
    const price = Math.round((2.5 + 13.37 * row + index) * 100) / 100;
    const value = Math.round(count * price * 100) / 100;
    sum = Math.round((sum + value) * 100) / 100;
    const description = print(`Part ${String.fromCharCode(65 + row)} of steel`, left);
    const text = String(count);
    const quantity = { ...print(text, quantityAt - document.widthOfString(text)), value: count };
    rows.push({ description, quantity, price: amount(price, priceAt), amount: amount(value, amountAt) });
    next();
  }
  next();
  const tax = Math.round(sum * 20) / 100;
  for (const [slug, label, value] of [
    ["net", "Net amount", sum],
    ["tax", "VAT 20%", tax],
    ["total", "Total", Math.round((sum + tax) * 100) / 100],
  ] as const) {
    print(label, 330, slug === "total" ? bold : font);
    header[slug] = amount(value, amountAt);
    next();
  }
  document.end();
  await ended;
  return { bytes: new Uint8Array(Buffer.concat(pieces)), header, rows };
}

/** Returns the area that two rectangles share as a proportion of the area that they cover together. */
function overlap(box: Box | undefined, { box: place }: PlacedValue): number {
  if (!box) return 0;
  const [x0, y0] = [box.x * PAGE.width, box.y * PAGE.height];
  const [x1, y1] = [x0 + box.width * PAGE.width, y0 + box.height * PAGE.height];
  const width = Math.min(x1, place.x + place.width) - Math.max(x0, place.x);
  const height = Math.min(y1, place.y + place.height) - Math.max(y0, place.y);
  const shared = Math.max(0, width) * Math.max(0, height);
  return shared / ((x1 - x0) * (y1 - y0) + place.width * place.height - shared);
}

async function main(): Promise<void> {
  const reader = createDocumentReader();
  const figures = { values: 0, right: 0, boxed: 0 };
  const judge = (row: ExtractedRow | undefined, placed: Readonly<Record<string, PlacedValue>>): void => {
    for (const [slug, place] of Object.entries(placed)) {
      figures.values += 1;
      if (getScalar(row, slug) !== place.value) continue;
      figures.right += 1;
      const share = overlap(row?.evidence[slug]?.box, place);
      if (share >= 0.5) figures.boxed += 1;
      else if (process.env["SHOW_ERRORS"] !== undefined)
        console.log(`${slug} ${String(place.value)}: overlap ${share.toFixed(2)}`);
    }
  };
  for (let index = 0; index < DOCUMENTS; index += 1) {
    const { bytes, header, rows } = await makeInvoice(index);
    const { text } = await reader.read({ bytes, filename: "made.pdf", contentType: "application/pdf" });
    const [invoice, items] = extractTables(fromBinary(DocumentTextSchema, text), configuration);
    judge(invoice?.rows[0], header);
    rows.forEach((row, at) => {
      judge(items?.rows[at], row);
    });
  }
  await reader.close();
  const { values, right, boxed } = figures;
  console.log(
    `${String(DOCUMENTS)} made invoices: ${String(right)} of ${String(values)} values are right; of these, ${(boxed / Math.max(1, right)).toFixed(3)} have a box on the page with an overlap (IoU) of at least 0.5 (aim: 0.98)`,
  );
}

await main();
