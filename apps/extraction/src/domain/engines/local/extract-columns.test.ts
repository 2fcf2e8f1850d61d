import { create } from "@bufbuild/protobuf";
import { FormValueSchema } from "@switchyard/contracts/switchyard/extraction/v1/document";
import {
  createConfiguration,
  placedDocument,
  plainDocument,
  plainRows,
  plainValues,
} from "../../../testing/documents.ts";
import { extractTables } from "./extract.ts";

describe("columns", () => {
  it("do not include excluded ones, and are null in a single row if nothing is found", () => {
    const columns = createConfiguration({
      note: [
        ["total", "Total", "NUMBER"],
        ["secret", "Secret", "TEXT", { excludedFromExtraction: true }],
        ["paid", "Paid", "BOOLEAN"],
        ["kind", "Kind", "ENUM", { enumValues: ["RED", "BLUE"] }],
      ],
      items: [["quantity", "Quantity", "NUMBER"]],
    });
    const [note, items] = extractTables(plainDocument(""), columns);
    expect(plainRows(note)).toEqual([{ total: null, paid: null, kind: null }]);
    expect(note?.rows[0]?.confidence).toEqual({});
    expect(items?.rows).toEqual([]);
  });

  it("have their names and synonyms as labels, for every type", () => {
    const columns = createConfiguration({
      sheet: [
        ["hull", "Hull code"],
        ["draught", "Draught", "NUMBER", { synonyms: ["Tiefgang"] }],
        ["launched", "Launched", "DATE"],
        ["insured", "Insured", "BOOLEAN"],
        ["rig", "Rig", "ENUM", { enumValues: ["SLOOP", "KETCH_YAWL"] }],
      ],
    });
    const document = plainDocument(
      ["Hull code: X-99/b", "Tiefgang\t2,35 m", "Launched: 31/01/1999", "Insured: no", "Rig: ketch yawl"].join("\n"),
    );
    expect(plainValues(extractTables(document, columns)[0]?.rows[0])).toEqual({
      hull: "X-99/b",
      draught: 2.35,
      launched: "1999-01-31",
      insured: false,
      rig: "KETCH_YAWL",
    });
  });

  it("have the currency that is stated for all amounts", () => {
    const columns = createConfiguration({ note: [["currency", "Currency"]] });
    const lines = ["Rechnung 12", "Beträge in\tCHF", "Summe\t12,00"];
    expect(plainValues(extractTables(plainDocument(lines.join("\n")), columns)[0]?.rows[0])).toEqual({
      currency: "CHF",
    });
  });

  it("are read from the header fields of an email", () => {
    const columns = createConfiguration({
      mail: [
        ["from", "From"],
        ["to", "To"],
        ["subject", "Subject"],
        ["date", "Date", "DATE"],
      ],
    });
    const document = plainDocument(
      [
        "From: Ada Green <ada@green.example>",
        "To: Office <office@brook.example>",
        "Subject: The gate",
        "Date: Mon, 02 Mar 2026 08:00:00 +0100",
        "Please mend the gate.",
      ].join("\n"),
    );
    expect(plainValues(extractTables(document, columns)[0]?.rows[0])).toEqual({
      from: "Ada Green <ada@green.example>",
      to: "Office <office@brook.example>",
      subject: "The gate",
      date: "2026-03-02",
    });
  });

  it("are read from form fields of the same name first", () => {
    const document = plainDocument("Registrant: nobody");
    document.formValues.push(create(FormValueSchema, { name: "registrant", value: " Acme Corp ", page: 2 }));
    const columns = createConfiguration({ form: [["registrant", "Registrant"]] });
    const row = extractTables(document, columns)[0]?.rows[0];
    expect(plainValues(row)).toEqual({ registrant: "Acme Corp" });
    expect(row?.evidence["registrant"]?.page).toBe(2);
  });
});

describe("tables", () => {
  const columns = createConfiguration({
    order: [["number", "Order number"]],
    items: [
      ["description", "Description"],
      ["quantity", "Quantity", "NUMBER"],
      ["amount", "Amount", "NUMBER"],
    ],
  });

  it("continue after a page break with a repeated header, and end before the totals", () => {
    const header = [
      [4, "Item"],
      [60, "Quantity"],
      [80, "Amount"],
    ] as const;
    const line = (name: string, quantity: string, amount: string) =>
      [
        [4, name],
        [64, quantity],
        [81, amount],
      ] as const;
    const document = placedDocument(
      [header, line("Nails", "100", "5.00"), line("Screws", "50", "7.50")],
      [
        header,
        line("Glue", "1", "3.20"),
        [
          [60, "Total"],
          [80, "15.70"],
        ],
        line("Not an item", "9", "9.99"),
      ],
    );
    expect(plainRows(extractTables(document, columns)[1])).toEqual([
      { description: "Nails", quantity: 100, amount: 5 },
      { description: "Screws", quantity: 50, amount: 7.5 },
      { description: "Glue", quantity: 1, amount: 3.2 },
    ]);
  });

  it("have no rows without a header", () => {
    const document = plainDocument("Nails\t100\t5.00\nScrews\t50\t7.50");
    expect(extractTables(document, columns)[1]?.rows).toEqual([]);
  });
});
