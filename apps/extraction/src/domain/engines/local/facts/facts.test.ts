import { fromBinary } from "@bufbuild/protobuf";
import {
  DocumentTextSchema,
  TextSource,
  type DocumentText,
} from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ContradictionCode } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ReviewReason } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import { createDocumentReader } from "../../../../reading/index.ts";
import { createConfiguration, plainRows, plainValues } from "../../../../testing/documents.ts";
import { ciiInvoice, drawInvoice, ublInvoice } from "../../../../testing/invoices.ts";
import { createPdf } from "../../../../testing/pdf.ts";
import { extractTables } from "../extract.ts";
import { findReview } from "../../../review/review.ts";

const configuration = createConfiguration({
  invoice: [
    ["number", "Supplier invoice number"],
    ["date", "Invoice date", "DATE"],
    ["seller", "Seller"],
    ["total", "Total amount", "NUMBER"],
    ["currency", "Currency", "ENUM", { enumValues: ["eur", "usd"] }],
    ["rate", "VAT rate", "NUMBER"],
    ["who", "Whatever", "TEXT", { description: "The name of the seller" }],
  ],
  items: [
    ["description", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
  ],
  taxes: [
    ["rate", "Tax rate", "NUMBER"],
    ["base", "Tax base", "NUMBER"],
    ["amount", "Tax amount", "NUMBER"],
  ],
});

describe("values of electronic invoices", () => {
  const reader = createDocumentReader();
  afterAll(() => reader.close());

  async function readFile(bytes: Uint8Array, filename: string): Promise<DocumentText> {
    const { text, problem } = await reader.read({ bytes, filename, contentType: "" });
    expect(problem).toBeUndefined();
    return fromBinary(DocumentTextSchema, text);
  }

  it.each([
    ["a UBL file", () => Buffer.from(ublInvoice()), "a.xml", ""],
    ["a CII file", () => Buffer.from(ciiInvoice()), "a.xml", ""],
    ["a PDF with an attachment", () => createPdf((pdf) => drawInvoice(pdf, ciiInvoice())), "a.pdf", "factur-x.xml"],
    [
      "a message with an attachment",
      () =>
        Buffer.from(
          `From: a@b.c\r\nTo: b@b.c\r\nMessage-ID: <1@x>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: application/xml\r\nContent-Disposition: attachment; filename="ubl.xml"\r\nContent-Transfer-Encoding: base64\r\n\r\n${Buffer.from(ublInvoice()).toString("base64")}\r\n--x--\r\n`,
        ),
      "a.eml",
      "ubl.xml",
    ],
  ])("are those of the XML in %s, with the elements as evidence", async (_, make, filename, attachment) => {
    const [invoice, items, taxes] = extractTables(await readFile(await make(), filename), configuration);
    const row = invoice?.rows[0];
    expect(plainValues(row)).toMatchObject({
      number: "INV-77",
      date: "2026-03-31",
      seller: "Möller & Söhne GmbH",
      total: 119,
      currency: "eur",
      rate: 19,
    });
    expect(row?.confidence).toMatchObject({ number: 1, date: 1, seller: 1, total: 1, currency: 1, rate: 1 });
    expect(row?.evidence["total"]).toMatchObject({ source: TextSource.XML, quote: "119.00", contradicts: [] });
    expect(row?.evidence["total"]?.element).toMatch(/^\/\w+Invoice\/.*(TaxInclusive|GrandTotal)Amount$|^\/Invoice/);
    expect(row?.evidence["total"]?.attachment ?? "").toBe(attachment);
    // A column that only its description describes is read from the page.

    expect(row?.evidence["who"]?.element).toBeUndefined();
    expect(plainRows(items)).toEqual([
      { description: "Steel part", quantity: 2, amount: 60 },
      { description: "Brass part", quantity: 2, amount: 40 },
    ]);
    expect(plainRows(taxes)).toEqual([{ rate: 19, base: 100, amount: 19 }]);
    expect([invoice, items, taxes].flatMap((table) => table?.contradictions)).toEqual([]);
  });

  it("have the place on the page where it prints the same", async () => {
    const text = await readFile(await createPdf((pdf) => drawInvoice(pdf, ciiInvoice())), "a.pdf");
    const evidence = extractTables(text, configuration)[0]?.rows[0]?.evidence["total"];
    expect(evidence).toMatchObject({ page: 1, source: TextSource.XML });
    expect(evidence?.box?.x).toBeGreaterThan(0.5);
  });

  it("are contradicted by a page that prints another value, and then need review", async () => {
    const text = await readFile(await createPdf((pdf) => drawInvoice(pdf, ciiInvoice(), "191.00")), "a.pdf");
    const tables = extractTables(text, configuration);
    const row = tables[0]?.rows[0];
    expect(plainValues(row)["total"]).toBe(119);
    expect(row?.confidence).toMatchObject({ total: 0.5, number: 1 });
    expect(row?.evidence["total"]).toMatchObject({
      source: TextSource.XML,
      contradicts: [{ page: 1, quote: "191.00", box: expect.anything() }],
    });
    expect(tables[0]?.contradictions).toMatchObject([
      { code: ContradictionCode.XML_MISMATCH, columns: ["invoice.total"] },
    ]);
    expect(findReview(tables, configuration)).toMatchObject({
      reason: ReviewReason.CONTRADICTION,
      message: 'Total amount: the XML of the document states "119.00", and the page prints "191.00"',
      confidence: 0.5,
    });
  });

  it("are used where a PDF has no text, which is then shown by a page of the XML", async () => {
    const bytes = await createPdf((pdf) => pdf.file(Buffer.from(ublInvoice()), { name: "invoice.XML" }));
    const text = await readFile(bytes, "scan.pdf");
    expect(text.pages.map((page) => [page.source, page.attachment])).toEqual([
      [TextSource.TEXT, ""],
      [TextSource.XML, "invoice.XML"],
    ]);
    expect(plainValues(extractTables(text, configuration)[0]?.rows[0])).toMatchObject({ total: 119 });
  });

  it("are not read from XML that is damaged, and the page counts then", async () => {
    const bytes = await createPdf((pdf) => drawInvoice(pdf, ciiInvoice().slice(0, -200), "191.00"));
    const { text, warnings } = await reader.read({ bytes, filename: "a.pdf", contentType: "" });
    expect(warnings).toEqual(['"factur-x.xml" was not read: The XML is damaged.']);
    expect(plainValues(extractTables(fromBinary(DocumentTextSchema, text), configuration)[0]?.rows[0])["total"]).toBe(
      191,
    );
  });
});
