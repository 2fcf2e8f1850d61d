import { fromBinary } from "@bufbuild/protobuf";
import { DocumentTextSchema, TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import type { ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { createDocumentReader } from "../../../reading/index.ts";
import { createConfiguration, plainRows } from "../../../testing/documents.ts";
import { createDocx, createOpenDocument, createXlsx, type OfficeCell } from "../../../testing/office.ts";
import { createPdf } from "../../../testing/pdf.ts";
import { extractTables } from "./extract.ts";

const configuration = createConfiguration({
  invoice: [
    ["number", "Invoice number"],
    ["date", "Invoice date", "DATE"],
    ["net", "Net amount", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["total", "Total amount", "NUMBER"],
  ],
  items: [
    ["description", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["price", "Unit price", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
  ],
});

/** A made invoice: its labeled values above and below its items, and what must be found. */
function makeInvoice(index: number) {
  const date = new Date(Date.UTC(2026, index, 3 + index));
  const items = Array.from({ length: 2 + (index % 4) }, (_, row) => {
    const quantity = 1 + ((index + row) % 5);
    const price = 10.5 + 7 * row + index;
    return { description: `Part ${"ABCDEF"[row]} of steel`, quantity, price, amount: quantity * price };
  });
  const net = items.reduce((sum, { amount }) => sum + amount, 0);
  const tax = Math.round(net * 20) / 100;
  const values = {
    number: `MP-${2_000 + 37 * index}`,
    date: date.toISOString().slice(0, 10),
    net,
    tax,
    total: net + tax,
  };
  const above: OfficeCell[][] = [
    ["Invoice number", values.number],
    ["Invoice date", date],
  ];
  const table: OfficeCell[][] = [
    ["Description", "Quantity", "Unit price", "Amount"],
    ...items.map(({ description, quantity, price, amount }) => [description, quantity, price, amount]),
  ];
  const below: OfficeCell[][] = [
    ["Net amount", net],
    ["Tax amount", tax],
    ["Total amount", values.total],
  ];
  return { values, items, above, table, below };
}

const shown = (cell: OfficeCell): string =>
  cell instanceof Date
    ? cell.toISOString().slice(0, 10)
    : typeof cell === "number" && !Number.isInteger(cell)
      ? cell.toFixed(2)
      : String(cell);

describe("the same documents in other formats", () => {
  const reader = createDocumentReader();
  afterAll(() => reader.close());

  async function extract(bytes: Uint8Array, filename: string): Promise<ExtractedTable[]> {
    const { text, problem } = await reader.read({ bytes, filename, contentType: "" });
    expect(problem).toBeUndefined();
    return extractTables(fromBinary(DocumentTextSchema, text), configuration);
  }

  it.each(Array.from({ length: 10 }, (_, index) => index))("have the same values (document %i)", async (index) => {
    const { values, items, above, table, below } = makeInvoice(index);
    const rows = [["Marlow Pike Ltd"], [], ["Invoice"], ...above, [], ...table, [], ...below];
    const texts = (cells: readonly OfficeCell[][]) => cells.map((row) => row.map(shown));
    const pdf = await createPdf((page) => {
      page.fontSize(10);
      texts(rows).forEach((cells, row) =>
        cells.forEach((cell, column) => page.text(cell, 50 + 130 * column, 50 + 16 * row, { lineBreak: false })),
      );
    });
    const blocks = ["Marlow Pike Ltd", "Invoice", texts(above), texts(table), texts(below)];
    const csv = texts(rows)
      .map((cells) => cells.join(";"))
      .join("\r\n");
    const formats = {
      "a.pdf": pdf,
      "a.docx": createDocx(blocks),
      "a.odt": createOpenDocument("text", blocks),
      "a.xlsx": createXlsx({ Sheet1: rows }),
      "a.ods": createOpenDocument("spreadsheet", [texts(rows)]),
      "a.csv": Buffer.from(csv),
    };
    for (const [filename, bytes] of Object.entries(formats)) {
      const [invoice, lines] = await extract(bytes, filename);
      expect([filename, plainRows(invoice)]).toEqual([filename, [values]]);
      expect([filename, plainRows(lines)]).toEqual([filename, items]);
    }
  });

  it("have their cells as evidence, even where cells before them are empty", async () => {
    const rows = [
      ["Description", "Quantity", "Unit price", "Amount"],
      ["Steel part", 2, 30.25, 60.5],
      ["Delivery of the parts", null, null, 10.5],
      ["Brass part", 4, 10, 40],
    ];
    const [, items] = await extract(createXlsx({ "Items 2026": rows }), "a.xlsx");
    expect(plainRows(items).map(({ amount }) => amount)).toEqual([60.5, 10.5, 40]);
    expect(items?.rows[2]?.evidence["amount"]).toMatchObject({
      page: 1,
      quote: "40",
      source: TextSource.CELL,
      sheet: "Items 2026",
      cell: "D4",
    });
    expect(items?.rows[2]?.evidence["amount"]?.box).toBeUndefined();
  });
});
