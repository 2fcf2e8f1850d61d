import {
  createConfiguration,
  placedDocument,
  plainDocument,
  plainRows,
  plainValues,
} from "../../../testing/documents.ts";
import { extractTables } from "./extract.ts";

const invoiceColumns = createConfiguration({
  invoice: [
    ["number", "Invoice number"],
    ["date", "Invoice date", "DATE"],
    ["due_date", "Due date", "DATE"],
    ["seller", "Seller name"],
    ["buyer", "Buyer name"],
    ["vat_id", "VAT ID"],
    ["iban", "IBAN"],
    ["net", "Net amount", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["total", "Total amount", "NUMBER"],
    ["currency", "Currency", "ENUM", { enumValues: ["USD", "EUR", "GBP"] }],
  ],
  items: [
    ["description", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["unit_price", "Unit price", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
  ],
});

const englishInvoice = placedDocument([
  [[4, "Marlow & Pike Ltd"]],
  [[4, "7 Quay Road, Exeter EX2 4AN"]],
  [[4, "www.marlowpike.example"]],
  [],
  [
    [4, "Bill to:"],
    [60, "Invoice number:"],
    [80, "MP-2031"],
  ],
  [
    [4, "Fernhill School"],
    [60, "Invoice date:"],
    [80, "3 February 2026"],
  ],
  [
    [4, "2 Elm Lane"],
    [60, "Due date:"],
    [80, "5 March 2026"],
  ],
  [],
  [
    [4, "Description"],
    [50, "Qty"],
    [62, "Unit price"],
    [85, "Amount"],
  ],
  [
    [4, "Chair, oak"],
    [50, "4"],
    [65, "£120.00"],
    [85, "£480.00"],
  ],
  [[4, "with felt pads"]],
  [
    [4, "Lamp"],
    [50, "2"],
    [65, "£35.50"],
    [86, "£71.00"],
  ],
  [
    [62, "Subtotal"],
    [85, "£551.00"],
  ],
  [
    [62, "VAT 20%"],
    [85, "£110.20"],
  ],
  [
    [62, "Total"],
    [85, "£661.20"],
  ],
  [],
  [[4, "IBAN GB33 BUKB 2020 1555 5555 55 and quote the number"]],
]);

describe("an invoice with a layout", () => {
  const [header, items] = extractTables(englishInvoice, invoiceColumns);

  it("has values of the types of their columns", () => {
    expect(plainValues(header?.rows[0])).toEqual({
      number: "MP-2031",
      date: "2026-02-03",
      due_date: "2026-03-05",
      seller: "Marlow & Pike Ltd",
      buyer: "Fernhill School",
      vat_id: null,
      iban: "GB33 BUKB 2020 1555 5555 55",
      net: 551,
      tax: 110.2,
      total: 661.2,
      currency: "GBP",
    });
  });

  it("has the rows of its table, with descriptions of several lines merged, and without totals", () => {
    expect(plainRows(items)).toEqual([
      { description: "Chair, oak with felt pads", quantity: 4, unit_price: 120, amount: 480 },
      { description: "Lamp", quantity: 2, unit_price: 35.5, amount: 71 },
    ]);
  });

  it("has evidence and confidence for each value, and only for values", () => {
    const row = header?.rows[0];
    expect(row?.evidence["date"]).toMatchObject({ page: 1, quote: "3 February 2026" });
    const box = row?.evidence["total"]?.box;
    expect(row?.evidence["total"]?.quote).toBe("£661.20");
    expect(box?.x).toBeCloseTo(0.85);
    expect(box?.y).toBeCloseTo(14 / 60);
    expect(Object.keys(row?.evidence ?? {})).not.toContain("vat_id");
    expect(Object.keys(row?.confidence ?? {}).sort()).toEqual(Object.keys(row?.evidence ?? {}).sort());
    expect(row?.confidence["total"]).toBeGreaterThan(0.8);
  });
});

describe("invoices without a layout", () => {
  it("have German labels, dates and amounts", () => {
    const document = plainDocument(
      [
        "Holzwerk Nord GmbH",
        "Mietrechnung Nr. 2026/0815 vom 05.03.2026",
        "USt-IdNr.: DE136695976",
        "Artikel\tMenge\tEinzelpreis\tGesamtpreis",
        "Brett, gehobelt\t1.200\t1,50\t1.800,00",
        "Leiste\t10\t2,25\t22,50",
        "Nettobetrag\t1.822,50 €",
        "zzgl. 19 % MwSt.\t346,28 €",
        "Rechnungsbetrag\t2.168,78 €",
        "Zahlbar bis 04.04.2026",
      ].join("\n"),
    );
    const [header, items] = extractTables(document, invoiceColumns);
    expect(plainValues(header?.rows[0])).toMatchObject({
      number: "2026/0815",
      date: "2026-03-05",
      due_date: "2026-04-04",
      seller: "Holzwerk Nord GmbH",
      vat_id: "DE136695976",
      net: 1822.5,
      tax: 346.28,
      total: 2168.78,
      currency: "EUR",
    });
    expect(plainRows(items)).toEqual([
      { description: "Brett, gehobelt", quantity: 1200, unit_price: 1.5, amount: 1800 },
      { description: "Leiste", quantity: 10, unit_price: 2.25, amount: 22.5 },
    ]);
    expect(header?.rows[0]?.evidence["total"]?.box).toBeUndefined();
  });

  it("have French labels, spaces in numbers and names of months", () => {
    const document = plainDocument(
      [
        "Le Verger SARL - 3 rue du Port - 29200 Brest",
        "Facture FV-2026-17",
        "Date de facture : 1er août 2026",
        "Total HT\t1 234,50 €",
        "TVA 20 %\t246,90 €",
        "Total TTC\t1 481,40 €",
      ].join("\n"),
    );
    const [header] = extractTables(document, invoiceColumns);
    expect(plainValues(header?.rows[0])).toMatchObject({
      number: "FV-2026-17",
      date: "2026-08-01",
      seller: "Le Verger SARL",
      net: 1234.5,
      tax: 246.9,
      total: 1481.4,
    });
  });
});

describe("a receipt", () => {
  const columns = createConfiguration({
    receipt: [
      ["company", "Company"],
      ["date", "Date", "DATE"],
      ["address", "Address"],
      ["total", "Total", "NUMBER"],
    ],
  });

  it("has the shop, its address, the date and the amount that was paid", () => {
    const document = placedDocument([
      [[30, "BLUE HERON TRADING"]],
      [[36, "SDN BHD (123456-X)"]],
      [[30, "NO 5, HILL STREET,"]],
      [[30, "50000 RIVERTON"]],
      [[30, "TEL: 03-1234567"]],
      [[38, "TAX INVOICE"]],
      [[4, "DATE: 25/11/2025 14:03"]],
      [
        [4, "TOTAL QTY"],
        [80, "3"],
      ],
      [
        [4, "SUB TOTAL"],
        [80, "17.00"],
      ],
      [
        [4, "ROUNDING"],
        [80, "0.02"],
      ],
      [
        [4, "TOTAL"],
        [80, "17.02"],
      ],
      [
        [4, "CASH"],
        [80, "20.00"],
      ],
      [
        [4, "CHANGE"],
        [80, "2.98"],
      ],
    ]);
    expect(plainValues(extractTables(document, columns)[0]?.rows[0])).toEqual({
      company: "BLUE HERON TRADING SDN BHD",
      date: "2025-11-25",
      address: "NO 5, HILL STREET, 50000 RIVERTON",
      total: 17.02,
    });
  });

  it("has the amount that was paid although the total is misread, if net, tax and rounding add up to it", () => {
    const rows: [string, string][] = [
      ["SUB-TOTAL (EX)", "144.68"],
      ["TOTAL TAX", "8.68"],
      ["ROUNDING", "-0.01"],
      ["TOTAL", "I$ FER:"],
      ["CASH", "153.35"],
      ["CHANGE", "0.00"],
    ];
    const document = placedDocument([
      [[30, "BLUE HERON TRADING"]],
      ...rows.map(([label, value]): [number, string][] => [
        [4, label],
        [80, value],
      ]),
    ]);
    expect(plainValues(extractTables(document, columns)[0]?.rows[0])).toMatchObject({ total: 153.35 });
  });
});

describe("prose", () => {
  const columns = createConfiguration({
    agreement: [
      ["disclosing_party", "Disclosing party"],
      ["receiving_party", "Receiving party"],
      ["effective_date", "Effective date", "DATE"],
      ["term", "Term"],
      ["governing_law", "Governing law"],
      ["invoice_number", "Invoice number"],
      ["total", "Total", "NUMBER"],
    ],
    parties: [["name", "Party"]],
  });
  const document = plainDocument(
    [
      "NON-DISCLOSURE AGREEMENT",
      "This Agreement is made as of the 3rd day of June, 2024 by and between Copperfield",
      "Labs, Inc., a Nevada corporation (the “Receiving Party”), and Jane Q. Doe, an individual (the",
      "“Disclosing Party”). The Receiving Party shall keep all Confidential Information secret for a period",
      "of two (2) years from the Effective Date. This Agreement is governed by the laws of the State of",
      "New York, without regard to conflicts of laws.",
    ].join("\n"),
  );
  const [agreement, parties] = extractTables(document, columns);

  it("has the parties by their roles, the date, the term and the governing law, and nothing else", () => {
    expect(plainValues(agreement?.rows[0])).toEqual({
      disclosing_party: "Jane Q. Doe",
      receiving_party: "Copperfield Labs, Inc.",
      effective_date: "2024-06-03",
      term: "two (2) years",
      governing_law: "New York",
      invoice_number: null,
      total: null,
    });
  });

  it("has quotes that include line breaks", () => {
    expect(agreement?.rows[0]?.evidence["receiving_party"]?.quote).toBe("Copperfield\nLabs, Inc.");
  });

  it("has a table of the parties in its first sentence", () => {
    expect(plainRows(parties)).toEqual([{ name: "Copperfield Labs, Inc." }, { name: "Jane Q. Doe" }]);
  });
});
