import { create } from "@bufbuild/protobuf";
import { DocumentTextSchema, type DocumentText } from "@switchyard/contracts/switchyard/extraction/v1/document";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { getPropertySeed } from "@switchyard/matching/testing";
import fc from "fast-check";
import { createConfiguration, plainDocument, plainValues } from "../../../testing/documents.ts";
import { extractTables } from "./extract.ts";

const seed = getPropertySeed();
const runs = { seed, numRuns: 60 };

const configuration = createConfiguration({
  document: [
    ["number", "Invoice number"],
    ["date", "Date", "DATE"],
    ["total", "Total", "NUMBER"],
    ["tax", "Tax amount", "NUMBER"],
    ["seller", "Seller"],
    ["address", "Address"],
    ["term", "Term"],
    ["law", "Governing law"],
    ["parties", "Parties"],
    ["paid", "Paid", "BOOLEAN"],
    ["kind", "Kind", "ENUM", { enumValues: ["A", "B_C"] }],
    ["odd", "<>", "TEXT", { synonyms: ["", "%", "Σ"] }],
  ],
  items: [
    ["description", "Description"],
    ["quantity", "Quantity", "NUMBER"],
    ["amount", "Amount", "NUMBER"],
    ["day", "Date", "DATE"],
  ],
});

const word = fc.oneof(
  fc.constantFrom(
    ..."Invoice number: Total TOTAL date 12.50 1.234,56 03/04/2025 Description Quantity Amount GmbH between and laws of State \t “ ( ) % € $ - 2025-02-31 IBAN DE89 years two (2) Tel:".split(
      " ",
    ),
  ),
  fc.string({ unit: "grapheme", maxLength: 12 }),
);
const line = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
const number = fc.oneof(fc.double(), fc.double({ min: 0, max: 1, noNaN: true }));
const box = fc.option(fc.record({ x: number, y: number, width: number, height: number }), { nil: undefined });
const anyDocument: fc.Arbitrary<DocumentText> = fc
  .array(
    fc.record({
      number: fc.integer({ min: -1, max: 9 }),
      lines: fc.array(
        fc.record({
          text: line,
          box,
          words: fc.array(fc.record({ text: word, box, offset: fc.integer({ min: -5, max: 80 }) }), { maxLength: 5 }),
        }),
        { maxLength: 15 },
      ),
    }),
    { maxLength: 3 },
  )
  .map((pages) => {
    const without = pages.map((page) => ({
      ...page,
      lines: page.lines.map(({ box: lineBox, words, ...rest }) => ({
        ...rest,
        ...(lineBox ? { box: lineBox } : {}),
        words: words.map(({ box: wordBox, ...other }) => ({ ...other, ...(wordBox ? { box: wordBox } : {}) })),
      })),
    }));
    return create(DocumentTextSchema, { pages: without });
  });

describe(`any document (SWITCHYARD_TEST_SEED=${String(seed)})`, () => {
  it("has one primary row with all columns, values of the columns' types, and confidence and evidence only for values", () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        const tables = extractTables(document, configuration);
        expect(tables.map((table) => table.slug)).toEqual(["document", "items"]);
        expect(tables[0]?.rows).toHaveLength(1);
        for (const [index, table] of tables.entries()) {
          const columns = configuration.columns.filter((column) => column.tableId === configuration.tables[index]?.id);
          for (const row of table.rows) {
            expect(Object.keys(row.values).sort()).toEqual(columns.map((column) => column.slug).sort());
            const given = columns.filter((column) => row.values[column.slug]?.kind.case !== "nullValue");
            expect(Object.keys(row.confidence).sort()).toEqual(given.map((column) => column.slug).sort());
            expect(Object.keys(row.evidence).sort()).toEqual(given.map((column) => column.slug).sort());
            for (const column of given) {
              const kind = row.values[column.slug]?.kind;
              expect(kind?.case).toBe(
                column.type === ColumnType.NUMBER
                  ? "numberValue"
                  : column.type === ColumnType.BOOLEAN
                    ? "boolValue"
                    : "stringValue",
              );
              if (column.type === ColumnType.NUMBER) expect(Number.isFinite(kind?.value)).toBe(true);
              if (column.type === ColumnType.DATE) expect(kind?.value).toMatch(/^\d{4}-\d{2}-\d{2}$/u);
              if (column.type === ColumnType.ENUM) expect(column.enumValues).toContain(kind?.value);
              expect(row.confidence[column.slug]).toBeGreaterThanOrEqual(0);
              expect(row.confidence[column.slug]).toBeLessThanOrEqual(1);
              expect(row.evidence[column.slug]?.quote).not.toBe("");
            }
          }
        }
      }),
      runs,
    );
  });

  it("has the same result twice", () => {
    fc.assert(
      fc.property(anyDocument, (document) => {
        expect(extractTables(document, configuration)).toEqual(extractTables(document, configuration));
      }),
      { ...runs, numRuns: 20 },
    );
  });

  it("with a total and a date after their labels has these values", () => {
    const cents = fc.integer({ min: 1, max: 99_999_999 });
    const day = fc.date({ min: new Date("1950-01-01"), max: new Date("2049-12-31"), noInvalidDate: true });
    fc.assert(
      fc.property(cents, day, (amount, date) => {
        const iso = date.toISOString().slice(0, 10);
        const german = iso.split("-").reverse().join(".");
        const printed = (amount / 100).toLocaleString("de-DE", { minimumFractionDigits: 2 });
        const document = plainDocument(`Musterladen GmbH\nDatum: ${german}\nSumme\t${printed} €`);
        const values = plainValues(extractTables(document, configuration)[0]?.rows[0]);
        expect(values).toMatchObject({ total: amount / 100, date: iso });
      }),
      runs,
    );
  });
});

describe("hostile documents", () => {
  it.each([
    ["digits and decimal marks", "1.".repeat(150_000)],
    ["spaces", `a${" ".repeat(150_000)}b`],
    ["capitals", "DE12 ABCD ".repeat(30_000)],
    ["brackets", "(“".repeat(100_000)],
    ["labels", "Total: 1.00 ".repeat(20_000)],
    ["parties", "between Ab and ".repeat(20_000)],
    ["laws", "laws of the State of Ohio ".repeat(12_000)],
    ["tabs", "1\t".repeat(100_000)],
    ["headers", "Description\tQuantity\tAmount\n".repeat(12_000)],
    ["rows", `Description\tQuantity\tAmount\n${"thing\t2\t4.00\n".repeat(12_000)}`],
  ])("are read in bounded time: %s", (_, text) => {
    const started = performance.now();
    expect(extractTables(plainDocument(text), configuration)[0]?.rows).toHaveLength(1);
    expect(performance.now() - started).toBeLessThan(15_000);
  });
});
