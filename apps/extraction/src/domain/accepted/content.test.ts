import { create, toJson } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { ColumnType, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { createTyping } from "./content.ts";
import { maxLineViolations, readImport } from "./import.ts";
import { tooManyCells } from "./values.ts";

const configuration = create(ConfigurationSchema, {
  tables: [
    { id: "t1", slug: "invoice", isPrimary: true },
    { id: "t2", slug: "items" },
  ],
  columns: [
    { id: "c1", tableId: "t1", slug: "number", type: ColumnType.TEXT },
    { id: "c2", tableId: "t1", slug: "total", type: ColumnType.NUMBER },
    { id: "c3", tableId: "t2", slug: "what", type: ColumnType.TEXT },
    { id: "c4", tableId: "t2", slug: "amount", type: ColumnType.NUMBER },
  ],
});

function readEntries(text: string) {
  const reading = readImport(text);
  if ("excess" in reading) throw new Error(reading.excess);
  return { ...reading, toTyped: createTyping(configuration, reading.columns) };
}

function read(text: string): unknown {
  const { entries, toTyped } = readEntries(text);
  const content = toTyped(entries[0]!);
  if ("violations" in content) return content.violations;
  return content.tables.map(({ slug, rows }) => ({
    slug,
    rows: rows.map(({ values }) =>
      Object.fromEntries(Object.entries(values).map(([column, value]) => [column, toJson(ValueSchema, value)])),
    ),
  }));
}

describe("CSV", () => {
  it("has null for an empty cell, and nothing for a column without a heading", () => {
    expect(read("fileId,number\nf,")).toEqual([{ slug: "invoice", rows: [{ number: null }] }]);
    expect(read("fileId,number,total\nf,,2")).toEqual([{ slug: "invoice", rows: [{ number: null, total: 2 }] }]);
  });

  it("has null for an empty cell of a row of another table", () => {
    expect(read("fileId,items.what,items.amount\nf,Apples,\nf,,3\nf,,")).toEqual([
      {
        slug: "items",
        rows: [
          { what: "Apples", amount: null },
          { what: null, amount: 3 },
        ],
      },
    ]);
  });

  it("has a table without rows if all of its cells are empty, and no table without a heading", () => {
    expect(read("fileId,total,items.what\nf,1,")).toEqual([
      { slug: "invoice", rows: [{ total: 1 }] },
      { slug: "items", rows: [] },
    ]);
    expect(read("fileId\nf")).toEqual([]);
  });

  it("reads a record that is shorter than the headings as if it had empty cells", () => {
    const headings = "items.what,fileId,total,items.amount,invoice.number";
    const expected = (what: string | null) => [
      { slug: "invoice", rows: [{ number: "N", total: 1 }] },
      {
        slug: "items",
        rows:
          what === null
            ? [{ what: "A", amount: 2 }]
            : [
                { what: "A", amount: 2 },
                { what, amount: null },
              ],
      },
    ];
    for (const [short, what] of [
      ["B,f", "B"],
      [",f", null],
      [",f,1", null],
      ["B,f,1", "B"],
      ["B,f,", "B"],
    ] as const) {
      const full = short + ",".repeat(5 - short.split(",").length);
      for (const record of [short, full]) {
        expect(read(`${headings}\nA,f,1,2,N\n${record}`)).toEqual(expected(what));
      }
    }
    expect(read(`${headings}\n,f`)).toEqual([
      { slug: "invoice", rows: [{ number: null, total: null }] },
      { slug: "items", rows: [] },
    ]);
    expect(read(`${headings}\n,f,1\n,f\n,f,2`)).toEqual([
      { line: 4, field: "total", message: "differs from another line of the same file" },
    ]);
    expect(read(`${headings},color\n,f\n,f,1,2,N,red`)).toEqual([
      { line: 2, field: "color", message: "is not a column of the model" },
    ]);
  });

  // If each record were filled up to all headings, these would need several gigabytes.
  it.each(["the same file", "one file each"])("can have many headings and many short records, of %s", (of) => {
    const headings = Array.from({ length: 30_000 }, (_, index) => `h${index}`);
    const records = Array.from({ length: of === "the same file" ? 30_000 : 5_000 }, (_, index) =>
      of === "the same file" ? "f" : `f${index}`,
    );
    const { entries, violations, toTyped } = readEntries(`fileId,${headings.join(",")}\n${records.join("\n")}`);
    expect(violations).toEqual([]);
    expect(entries).toHaveLength(of === "the same file" ? 1 : 5_000);
    entries.forEach((entry, index) => {
      const typed = toTyped(entry);
      const found = "violations" in typed ? typed.violations : [];
      expect(found.length).toBe(maxLineViolations);
      expect(found[0]).toEqual({ line: index + 2, field: "h0", message: "is not a column of the model" });
    });
  });

  // A record of six bytes becomes a row with a null for each other heading.
  it("has at most 200,000 rows and values for one file", () => {
    const records = (count: number) => `fileId,items.what,items.amount\n${"f,x\n".repeat(count)}`;
    expect(read(records(66_666))).toMatchObject([{ slug: "items", rows: { length: 66_666 } }]);
    expect(read(records(66_667))).toEqual([{ line: 66_668, field: "items", message: tooManyCells }]);
  });

  it("reports no more contradictions of a file than a response contains", () => {
    const records = Array.from({ length: 5_000 }, (_, index) => `f,${index}`);
    expect(read(`fileId,number\n${records.join("\n")}`)).toHaveLength(maxLineViolations);
  });

  it("has numbers in decimal notation, and reports any other text in a column of numbers", () => {
    for (const [text, total] of [
      ["12", 12],
      ["+1.5", 1.5],
      ["-.5", -0.5],
      ["5.", 5],
      ["1.E2", 100],
      ["2e-1", 0.2],
    ]) {
      expect(read(`fileId,total\nf,${text}`)).toEqual([{ slug: "invoice", rows: [{ total }] }]);
    }
    for (const text of [".", "1.2.3", "1e", "e1", "0x1", "1_000", "- 1", "Infinity"]) {
      expect(read(`fileId,total\nf,${text}`)).toEqual([
        { line: 2, field: "tables[0].rows[0].values.total", message: "must be a number or null" },
      ]);
    }
  });

  // With a pattern that can match a digit in two ways, each of these would take more than an hour.
  it.each(["number", "total"])("can have a million digits that are not a number in the column %s", (heading) => {
    const text = `${"1".repeat(1_000_000)}x`;
    expect(read(`fileId,${heading}\nf,${text}`)).toEqual(
      heading === "number"
        ? [{ slug: "invoice", rows: [{ number: text }] }]
        : [{ line: 2, field: "tables[0].rows[0].values.total", message: "must be a number or null" }],
    );
  });
});

describe("JSON lines", () => {
  const line = (rows: string) => `{"fileId":"f","tables":[{"slug":"items","rows":[${rows}]}]}`;

  it.each(["{}", "0", '{"values":{}}', '{"values":{"amount":1,"what":"x"}}'])(
    "have at most 200,000 rows and values for one file: %s",
    (row) => {
      const result = read(line(Array(200_001).fill(row).join(","))) as unknown[];
      if (row.includes("values")) expect(result).toEqual([{ line: 1, field: "tables", message: tooManyCells }]);
      else expect(result).toHaveLength(maxLineViolations);
    },
  );

  it("have as many values in the primary row as well", () => {
    const values = Array.from({ length: 200_001 }, (_, index) => `"c${index}":1`);
    expect(read(`{"fileId":"f","values":{${values.join(",")}}}`)).toEqual([
      { line: 1, field: "values", message: tooManyCells },
    ]);
  });

  it("have texts without halves of surrogate pairs, which UTF-8 cannot express", () => {
    expect(read('{"fileId":"f","values":{"number":"\\ud83d\\ude00"}}')).toEqual([
      { slug: "invoice", rows: [{ number: "😀" }] },
    ]);
    expect(read('{"fileId":"f","values":{"number":"a\\ud83d"}}')).toEqual([
      { line: 1, field: "tables[0].rows[0].values.number", message: "must be well-formed text" },
    ]);
  });

  it("have the tables and columns of the line, and no others", () => {
    expect(read('{"fileId":"f","values":{"total":null}}')).toEqual([{ slug: "invoice", rows: [{ total: null }] }]);
    expect(read('{"fileId":"f","tables":[{"slug":"items","rows":[]}]}')).toEqual([{ slug: "items", rows: [] }]);
  });

  // `fromJson` of protobuf throws an error for more than 100 levels.
  it.each([1, 99, 100, 150, 100_000])("report a list or an object with %i levels at its cell", (depth) => {
    const list = "[".repeat(depth) + "]".repeat(depth);
    const object = '{"a":'.repeat(depth) + "1" + "}".repeat(depth);
    for (const nested of [list, object]) {
      const row = `{"number":${nested},"total":${nested},"other":${nested}}`;
      const at = "tables[0].rows[0].values";
      const violations = [
        { line: 1, field: `${at}.number`, message: "must be a string or null" },
        { line: 1, field: `${at}.total`, message: "must be a number or null" },
        { line: 1, field: `${at}.other`, message: "is not a column of this table" },
      ];
      expect(read(`{"fileId":"f","values":${row}}`)).toEqual(violations);
      expect(read(`{"fileId":"f","tables":[{"slug":"invoice","rows":[{"values":${row}}]}]}`)).toEqual(violations);
    }
  });
});
