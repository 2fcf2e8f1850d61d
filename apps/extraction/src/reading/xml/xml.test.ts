import { TextSource } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ReadProblem } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { ciiInvoice, ublInvoice } from "../../testing/invoices.ts";
import { createBudget, defaultLimits, maxInvoiceRows, maxNestedElements } from "../limits.ts";
import type { Reading } from "../reading.ts";
import { readXml } from "./xml.ts";

function read(source: string | Uint8Array): Reading {
  const bytes = typeof source === "string" ? new TextEncoder().encode(source) : source;
  return readXml({ bytes, filename: "a.xml", contentType: "" }, { budget: createBudget(defaultLimits), depth: 0 });
}

/** Returns the values that an invoice states, by their concept, and their elements. */
function facts(reading: Reading): Record<string, string> {
  return Object.fromEntries(
    (reading.facts ?? []).map(({ concept, value, row }) => [row === 0 ? concept : `${concept} ${row}`, value]),
  );
}

const textOf = (reading: Reading): string =>
  reading.pages.map((page) => page.lines.map((line) => line.text).join("\n")).join("\n");

describe("reading electronic invoices", () => {
  const shared = {
    "document-number": "INV-77",
    "document-date": "2026-03-31",
    seller: "Möller & Söhne GmbH",
    buyer: "Fernhill School",
    "vat-id": "DE123456789",
    currency: "EUR",
    net: "100.00",
    tax: "19.00",
    gross: "119.00",
    due: "119.00",
    "tax-basis": "100.00",
    "line-description": "Steel part",
    "line-unit": "C62",
    "line-price": "30.00",
    "line-description 1": "Brass part",
    "line-amount 1": "40.00",
  };

  it.each([
    ["a UBL invoice", ublInvoice(), "Invoice", { "due-date": "2026-04-30", "seller-address": "Quay 7, 28195 Bremen" }],
    ["a UBL credit note", ublInvoice({}, "CreditNote"), "Credit note", { "line-quantity": "2" }],
    [
      "a UBL order",
      ublInvoice({}, "Order"),
      "Purchase order",
      { "order-number": "INV-77", "order-date": "2026-03-31" },
    ],
    ["a CII invoice", ciiInvoice(), "Invoice", { "tax-number": "201/113/40209", "line-quantity": "2.0000" }],
    [
      "an invoice in an envelope",
      ublInvoice().replace("<Invoice", "<StandardBusinessDocument><Header/><Invoice") + "</StandardBusinessDocument>",
      "Invoice",
      {},
    ],
    ["an invoice in UTF-16", Buffer.from(`\ufeff${ublInvoice()}`, "utf16le"), "Invoice", {}],
    ["an invoice in Latin-1", Buffer.from(ublInvoice().replace("UTF-8", "ISO-8859-1"), "latin1"), "Invoice", {}],
  ])("returns what %s states, and a page that shows it", (_, source, title, more) => {
    const reading = read(source);
    expect(facts(reading)).toMatchObject({ ...shared, ...more });
    expect(reading.pages.map((page) => page.source)).toEqual([TextSource.XML]);
    expect(textOf(reading)).toMatch(new RegExp(`^${title}\\n${title} number:\\tINV-77\\n`));
    expect(textOf(reading)).toContain("Brass part\t2");
  });

  it("names the elements by their paths", () => {
    const elements = new Map(
      read(ublInvoice()).facts?.map(({ concept, row, element }) => [`${concept} ${row}`, element]),
    );
    expect(elements.get("gross 0")).toBe("/Invoice/LegalMonetaryTotal/TaxInclusiveAmount");
    expect(elements.get("line-amount 1")).toBe("/Invoice/InvoiceLine[2]/LineExtensionAmount");
    expect(elements.get("line-unit 0")).toBe("/Invoice/InvoiceLine[1]/InvoicedQuantity/@unitCode");
    // The tax in the currency of the invoice counts, not that in another one.
    expect(elements.get("tax 0")).toBe("/Invoice/TaxTotal[2]/TaxSubtotal/TaxAmount");
  });

  it("leaves out values that do not have their form, and rows that are notes", () => {
    const source = ublInvoice({ gross: "many" })
      .replace("2026-03-31", "2026-02-31")
      .replace("</Invoice>", "<cac:InvoiceLine><cbc:ID>3</cbc:ID></cac:InvoiceLine></Invoice>");
    const found = facts(read(source));
    expect(Object.keys(found)).not.toEqual(expect.arrayContaining(["gross"]));
    expect(Object.keys(found)).not.toEqual(expect.arrayContaining(["document-date"]));
    expect(Object.keys(found)).not.toEqual(expect.arrayContaining(["line-number 2"]));
  });

  it("is limited to a number of line items, and reports it", () => {
    const budget = createBudget(defaultLimits);
    const line = /<cac:InvoiceLine>[^]*?<\/cac:InvoiceLine>/.exec(ublInvoice())?.[0] ?? "";
    const source = ublInvoice().replace("</Invoice>", `${line.repeat(maxInvoiceRows)}</Invoice>`);
    const reading = readXml(
      { bytes: new TextEncoder().encode(source), filename: "", contentType: "" },
      { budget, depth: 0 },
    );
    expect(Math.max(...(reading.facts ?? []).map(({ row }) => row))).toBe(maxInvoiceRows - 1);
    expect(budget.omissions()).toContain(`Only the first ${maxInvoiceRows} line items of the invoice were read.`);
  });
});

describe("reading XML", () => {
  const laughs = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join("");
  it.each([
    [
      "that defines entities",
      `<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lol">${laughs}]><x>&l9;</x>`,
      "document type",
    ],
    [
      "that names an external entity",
      `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>`,
      "document type",
    ],
    [
      "with an external document type",
      `${ublInvoice().replace("<Invoice", '<!DOCTYPE Invoice SYSTEM "http://localhost/x.dtd"><Invoice')}`,
      "document type",
    ],
    ["that is nested too deeply", "<a>".repeat(2_000_000), `more than ${maxNestedElements} nested elements`],
    ["with too many elements", `<a>${"<b/>".repeat(1_000_001)}</a>`, "more than 1000000 elements"],
    ["of a truncated invoice", ublInvoice().slice(0, 1_500), "damaged"],
    ["of an invoice with wrong end tags", ublInvoice().replace("</cbc:ID>", "</cbc:Id>"), "damaged"],
  ])("reports XML %s", (_, source, message) => {
    const { problem, pages } = read(source);
    expect(problem).toEqual({ code: ReadProblem.UNREADABLE_FILE, message: expect.stringContaining(message) });
    expect(pages).toEqual([]);
  });

  it("returns the source of other XML, even if it is not well-formed", () => {
    for (const source of ['<?xml version="1.0"?><note>Rent &amp; more</note>', "<?xml version='1.0'?><a><b>Rent"]) {
      const reading = read(source);
      expect([textOf(reading), reading.facts, reading.problem]).toEqual([source, undefined, undefined]);
      expect(reading.pages[0]?.source).toBe(TextSource.XML);
    }
  });

  it("is decoded as it is written, also if it declares UTF-16", () => {
    for (const encoding of ["utf-16", "windows-1252"]) {
      const bytes = Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>\n<note>Gr\u00f6\u00dfe</note>`, "latin1");
      expect(textOf(read(bytes))).toContain("<note>Größe</note>");
    }
    const text = `<?xml version="1.0" encoding="utf-16"?>\n<note>Größe</note>`;
    expect(textOf(read(Buffer.from(text)))).toContain("<note>Größe</note>");
    expect(textOf(read(Buffer.from(`\ufeff${text}`, "utf16le")))).toContain("<note>Größe</note>");
  });
});
