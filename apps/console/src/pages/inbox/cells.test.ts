import type { Column, Configuration, Extraction } from "@switchyard/client";
import { parseTyped, toCellTables, toCorrections } from "./cells.ts";

function column(
  slug: string,
  tableId: string,
  type: Column["type"],
  index: number,
  more: Partial<Column> = {},
): Column {
  const none = { sharedId: null, description: "", isKey: false, required: false, enumValues: [], synonyms: [] };
  return {
    id: slug,
    tableId,
    slug,
    name: slug,
    type,
    index,
    excludedFromExtraction: false,
    matching: null,
    ...none,
    ...more,
  };
}

const schema = {
  tables: [
    { id: "t1", slug: "invoice", name: "Invoice", instructions: "", isPrimary: true },
    { id: "t2", slug: "items", name: "Items", instructions: "", isPrimary: false },
  ],
  columns: [
    column("total", "t1", "NUMBER", 1),
    column("number", "t1", "TEXT", 0),
    column("internal", "t1", "TEXT", 2, { excludedFromExtraction: true }),
    column("amount", "t2", "NUMBER", 0),
  ],
} satisfies Pick<Configuration, "tables" | "columns">;

const evidence = { page: 2, quote: "12.50", box: null };
const extraction = {
  tables: [
    {
      slug: "invoice",
      rows: [{ values: { total: 12.5, number: null }, confidence: { total: 0.8 }, evidence: { total: evidence } }],
      contradictions: [{ code: "TOTAL_MISMATCH", message: "1 + 2 is not 4", columns: ["invoice.total"] }],
    },
  ],
} as unknown as Pick<Extraction, "tables">;

describe("the cells of an extraction", () => {
  const tables = toCellTables(schema, extraction, { items: 1 });
  const cells = tables.flatMap(({ rows }) => rows.flat());

  it("are those of the schema, in its order, without excluded columns and with added rows", () => {
    expect(tables.map(({ slug, rows }) => [slug, rows.length])).toEqual([
      ["invoice", 1],
      ["items", 1],
    ]);
    expect(cells.map(({ key }) => key)).toEqual(["invoice.0.number", "invoice.0.total", "items.0.amount"]);
    const [number, total] = cells;
    expect(number).toMatchObject({ value: null, confidence: null, mark: undefined, isContradicted: false });
    expect(total).toMatchObject({ value: 12.5, confidence: 0.8, isContradicted: true });
    expect(total?.mark).toEqual({ key: "invoice.0.total", label: "total", ...evidence });
    expect(tables[0]?.contradictions).toEqual(["1 + 2 is not 4"]);
  });

  it("become corrections where a typed text differs, typed by the column", () => {
    expect(toCorrections(cells, {})).toEqual([]);
    expect(toCorrections(cells, { "invoice.0.total": "12.50", "invoice.0.number": " " })).toEqual([]);
    expect(toCorrections(cells, { "invoice.0.total": "", "invoice.0.number": "A-1", "items.0.amount": "-3" })).toEqual([
      { table: "invoice", row: 0, column: "number", value: "A-1" },
      { table: "invoice", row: 0, column: "total", value: null },
      { table: "items", row: 0, column: "amount", value: -3 },
    ]);
    expect(toCorrections(cells, { "invoice.0.total": "12,5" })).toBeUndefined();
  });

  it("are read by type", () => {
    const read = (type: Column["type"], text: string) => parseTyped({ type, enumValues: ["A", "B"] }, text);
    expect(read("DATE", "2026-02-28")).toEqual({ value: "2026-02-28" });
    for (const wrong of ["2026-02-30", "28.02.2026", "2026-2-3"])
      expect(read("DATE", wrong)).toEqual({ problem: true });
    expect(read("BOOLEAN", "true")).toEqual({ value: true });
    expect(read("BOOLEAN", "yes")).toEqual({ problem: true });
    expect(read("ENUM", "A")).toEqual({ value: "A" });
    expect(read("ENUM", "C")).toEqual({ problem: true });
    expect(read("NUMBER", "1e5")).toEqual({ problem: true });
    expect(read("TEXT", " two words ")).toEqual({ value: " two words " });
  });
});
