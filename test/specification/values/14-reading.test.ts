import { ciiInvoice, drawInvoice, ublInvoice } from "@switchyard/extraction/testing/invoices";
import { hiddenLines, hidingPlaces, makeVisibleDocument } from "@switchyard/extraction/testing/hidden-documents";
import { createBomb, createCompound, createDocx, createXlsx } from "@switchyard/extraction/testing/office";
import { createPdf } from "@switchyard/extraction/testing/pdf";
import { drawText } from "@switchyard/extraction/testing/pictures";
import { createTiff, toTiffPage } from "@switchyard/extraction/testing/tiff";
import { finishedExtraction } from "../../journeys/fixture.ts";
import { getBody, givenOffice } from "../testing/office.ts";

describe("14 what is read, and how it is pointed at", () => {
  const given = givenOffice();
  const classify = (filename: string, bytes: Uint8Array) =>
    getBody(given.rest.upload(`/api/v1/classify/${given.office.classifier}`, filename, bytes), 201);
  const getText = (fileId: string) => getBody(given.rest.get(`/api/v1/files/${fileId}/text`), 200);
  const reviews = async (): Promise<any[]> =>
    (await getBody(given.rest.get(`/api/v1/projects/${given.office.projectId}/review?kind=EXTRACTION`), 200)).data;

  it("routes an XML invoice and extracts it exactly, with the elements as evidence", async () => {
    const record = await classify("invoice.xml", Buffer.from(ublInvoice()));
    expect(record).toMatchObject({ status: "CLASSIFIED", routeName: "Invoice", reason: null });
    const { status, tables } = await finishedExtraction(given.rest, record.extraction.id);
    expect(status).toBe("COMPLETED");
    const [invoice, items] = tables;
    expect(invoice.rows[0].values).toEqual({ invoice_number: "INV-77", invoice_date: "2026-03-31", total: 119 });
    expect(invoice.rows[0].confidence).toEqual({ invoice_number: 1, invoice_date: 1, total: 1 });
    expect(invoice.rows[0].evidence.total).toEqual({
      page: 1,
      quote: "119.00",
      box: null,
      source: "XML",
      element: "/Invoice/LegalMonetaryTotal/TaxInclusiveAmount",
      sheet: null,
      cell: null,
      attachment: null,
      contradicts: [],
    });
    expect(items.rows.map(({ values }: any) => values)).toEqual([
      { description: "Steel part", quantity: 2, unit_price: 30, amount: 60 },
      { description: "Brass part", quantity: 2, unit_price: 20, amount: 40 },
    ]);
    const text = await getText(record.fileId);
    expect(text).toEqual({
      fileId: record.fileId,
      reader: expect.stringMatching(/^switchyard-reader\/\d+/),
      pages: [expect.anything()],
    });
    expect(text.pages[0]).toEqual({
      number: 1,
      text: expect.stringMatching(/^Invoice\nInvoice number:\tINV-77\n/),
      source: "XML",
      confidence: null,
      attachment: null,
      hidden: [],
    });
  });

  it("lists a PDF for review that prints another value than its XML states, with both in the evidence", async () => {
    const same = await classify("same.pdf", await createPdf((pdf) => drawInvoice(pdf, ciiInvoice())));
    const other = await classify("other.pdf", await createPdf((pdf) => drawInvoice(pdf, ciiInvoice(), "191.00")));
    await finishedExtraction(given.rest, same.extraction.id);
    const { tables } = await finishedExtraction(given.rest, other.extraction.id);
    expect(tables[0].rows[0].values.total).toBe(119);
    expect(tables[0].rows[0].evidence.total).toMatchObject({
      source: "XML",
      attachment: "factur-x.xml",
      contradicts: [{ page: 1, quote: "191.00", box: expect.objectContaining({ x: expect.any(Number) }) }],
    });
    expect(tables[0].contradictions).toMatchObject([{ code: "XML_MISMATCH", columns: ["invoice.total"] }]);
    const listed = await reviews();
    expect(listed.map(({ fileId }) => fileId)).not.toContain(same.fileId);
    expect(listed.find(({ fileId }) => fileId === other.fileId)).toMatchObject({
      kind: "EXTRACTION",
      reason: { code: "CONTRADICTION", message: expect.stringContaining('"119.00"') },
      confidence: 0.5,
    });
  });

  it("reads Office documents, even attached to a message, with the cell and the attachment as evidence", async () => {
    const labels = [["Invoice"], ["Invoice number", "XL-1"], ["Total amount due", 12.5], ["Payment terms", "30 days"]];
    const workbook = await classify("invoice.xlsx", createXlsx({ "Sheet 1": labels }));
    expect(workbook).toMatchObject({ status: "CLASSIFIED", routeName: "Invoice" });
    const { tables } = await finishedExtraction(given.rest, workbook.extraction.id);
    expect(tables[0].rows[0].values).toMatchObject({ invoice_number: "XL-1", total: 12.5 });
    const place = {
      page: 1,
      quote: "12.50",
      box: null,
      source: "CELL",
      sheet: "Sheet 1",
      cell: "B3",
      attachment: null,
    };
    expect(tables[0].rows[0].evidence.total).toMatchObject(place);

    const document = createDocx([
      "Invoice",
      "Invoice number: DX-1",
      "Total amount due: 12.50",
      "Payment terms: 30 days",
    ]);
    const message = `From: a@b.c\r\nTo: d@e.f\r\nMessage-ID: <1@x>\r\nSubject: Invoice\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="bill.docx"\r\nContent-Transfer-Encoding: base64\r\n\r\n${document.toString("base64")}\r\n--x--\r\n`;
    const mail = await classify("a.eml", Buffer.from(message));
    const extracted = await finishedExtraction(given.rest, mail.extraction.id);
    expect(extracted.tables[0].rows[0].evidence.invoice_number).toMatchObject({
      page: 2,
      quote: "DX-1",
      source: "TEXT",
      attachment: "bill.docx",
    });
    expect((await getText(mail.fileId)).pages.map(({ attachment }: any) => attachment)).toEqual([null, "bill.docx"]);
  });

  it("shows text that people cannot see, warns of it, and uses it for nothing", async () => {
    const places = hidingPlaces.filter(({ name }) =>
      /^(white on white|HTML of a message|tracked deletion)$/.test(name),
    );
    for (const [index, { filename, create }] of places.entries()) {
      const document = makeVisibleDocument(index);
      const [plain, twin] = await Promise.all([
        classify(filename, await create(document, [])),
        classify(filename, await create(document, hiddenLines[index] ?? [])),
      ]);
      expect([plain.warnings, plain.status, plain.routeName]).toEqual([[], "CLASSIFIED", "Invoice"]);
      expect([twin.status, twin.routeName, twin.confidence]).toEqual([plain.status, plain.routeName, plain.confidence]);
      const warnings = [{ code: "HIDDEN_TEXT", message: expect.stringContaining("on page 1. It was not used.") }];
      expect(twin.warnings).toEqual(warnings);
      expect((await given.rest.get(`/api/v1/files/${twin.fileId}`)).body.warnings).toEqual(warnings);
      const [values, same] = await Promise.all(
        [plain, twin].map((record) => finishedExtraction(given.rest, record.extraction.id)),
      );
      expect(same.tables).toEqual(values.tables);
      expect(values.tables[0].rows[0].values.total).toBe(Number(document.rows.at(-1)?.[1]));
      const { pages } = await getText(twin.fileId);
      const hidden = pages.flatMap((page: any) => page.hidden);
      expect(hidden.map(({ text }: any) => text).join(" ")).toBe(hiddenLines[index]?.join(" "));
      expect(hidden[0].reason).toBe(["COLOR", "INVISIBLE", "DELETED"][index]);
      expect(hidden[0].box).toEqual(index === 0 ? expect.objectContaining({ x: expect.any(Number) }) : null);
    }
  });

  it("returns pictures of pages as PNG, and says which pages have none", async () => {
    const getImage = (fileId: string, page: string, query = "") =>
      given.rest.send(`/api/v1/files/${fileId}/pages/${page}/image${query}`, {});
    const { fileId } = await classify("a.pdf", await createPdf((pdf) => pdf.text("Total 12.50", 60, 60)));
    const image = await getImage(fileId, "1", "?width=300");
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(image.headers.get("content-disposition")).toContain('filename="a-1.png"');
    for (const [page, query, status, code] of [
      ["1", "?width=16", 200, undefined],
      ["1", "?width=4000", 200, undefined],
      ["1", "?width=15", 400, "INVALID_REQUEST"],
      ["1", "?width=4001", 400, "INVALID_REQUEST"],
      ["one", "", 400, "INVALID_REQUEST"],
      ["2", "", 404, "PAGE_NOT_FOUND"],
      ["0", "", 404, "PAGE_NOT_FOUND"],
    ] as const) {
      const answer = await getImage(fileId, page, query);
      expect([page, query, answer.status, answer.body?.code]).toEqual([page, query, status, code]);
      const field = query === "" ? "number" : "width";
      if (status >= 400) expect(answer.body.errors.map((error: { field: string }) => error.field)).toEqual([field]);
    }
    const text = await classify("a.txt", Buffer.from("Invoice number: 4711"));
    const none = await getImage(text.fileId, "1");
    expect([none.status, none.body.code]).toEqual([400, "UNSUPPORTED_FORMAT"]);
  });

  it("reads the pages of a TIFF, and returns their pictures", async () => {
    const sheets = [
      ["Invoice", "Invoice number: TF-4711", "Invoice date: 31 March 2026"],
      ["Page 2 of 2", "Total amount due 119.00 EUR", "Payment terms 30 days net"],
    ].map((lines) => {
      const canvas = drawText(lines);
      return toTiffPage(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height));
    });
    const record = await classify("scan.tif", createTiff(sheets));
    expect(record).toMatchObject({ status: "CLASSIFIED", routeName: "Invoice" });
    const { tables } = await finishedExtraction(given.rest, record.extraction.id);
    expect(tables[0].rows[0].values).toMatchObject({ invoice_number: "TF-4711", total: 119 });
    expect(tables[0].rows[0].evidence.total).toMatchObject({ page: 2, quote: "119.00", source: "OCR" });
    expect((await getText(record.fileId)).pages.map(({ source }: any) => source)).toEqual(["OCR", "OCR"]);
    const image = await given.rest.send(`/api/v1/files/${record.fileId}/pages/2/image?width=300`, {});
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
    const missing = await given.rest.send(`/api/v1/files/${record.fileId}/pages/3/image`, {});
    expect([missing.status, missing.body.code]).toEqual([404, "PAGE_NOT_FOUND"]);
    const heic = await classify("a.heic", Buffer.from("\0\0\0\u0018ftypheic\0\0\0\0mif1heic", "latin1"));
    expect(heic.reason).toMatchObject({ code: "UNSUPPORTED_FORMAT", message: expect.stringContaining("as JPEG") });
  });

  it("answers what it cannot read with the documented reason, and other requests meanwhile", async () => {
    const bytes = await createBomb(120);
    const [bomb, other] = await Promise.all([
      classify("bomb.docx", bytes),
      classify("other.txt", Buffer.from("Invoice number: 4711\nTotal amount due: 12.00")),
    ]);
    expect(bomb.reason).toMatchObject({ code: "UNREADABLE_FILE", message: expect.stringContaining("96 MiB") });
    expect(other.status).toBe("CLASSIFIED");
    const old = await classify("old.doc", createCompound("WordDocument"));
    expect(old.reason).toMatchObject({ code: "UNSUPPORTED_FORMAT", message: expect.stringContaining("as .docx") });
    const locked = await classify("locked.xlsx", createCompound("EncryptedPackage"));
    expect(locked.reason).toMatchObject({ code: "ENCRYPTED_FILE" });
  });

  it("reads a text with zero bytes whatever its name says, and no XML that defines entities", async () => {
    const text = await classify("x.pdf", Buffer.from("Invoice\0 number: 4711\u0001\nTotal amount due: 12.00"));
    expect(text.reason?.code).not.toBe("UNSUPPORTED_FORMAT");
    expect((await getText(text.fileId)).pages[0].text).toBe("Invoice number: 4711\nTotal amount due: 12.00\n");
    const bomb = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>';
    expect(await classify("bomb.xml", Buffer.from(bomb))).toMatchObject({
      status: "UNCLASSIFIED",
      reason: { code: "UNREADABLE_FILE", message: "XML with a document type declaration is not read." },
    });
  });
});
