import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { applyChange } from "./schema-change.ts";
import { buildContent, emptyContent, extractedColumnNames, toInput, isSameContent } from "./schema-content.ts";
import type { SchemaContent } from "./schema-content.ts";

function counter(): (prefix: string) => string {
  let count = 0;
  return (prefix) => `${prefix}_${(count += 1)}`;
}

const input = {
  instructions: "Read",
  tables: [
    { slug: "main", name: " Main ", instructions: "", isPrimary: true },
    { slug: "lines", name: "", instructions: "" },
  ],
  columns: ["a", "b"].flatMap((slug) =>
    ["main", "lines"].map((table) => ({
      table,
      slug,
      excludedFromExtraction: slug === "b" && table === "main",
      name: "",
      type: ColumnType.UNSPECIFIED,
      description: "",
      isKey: false,
      required: false,
      enumValues: [],
      synonyms: [],
    })),
  ),
  settings: undefined,
};
const content = buildContent(input, emptyContent, counter());
const never = (): string => {
  throw new Error("No new id was due");
};

describe("buildContent", () => {
  it("gives ids and places, and names what has no name by its slug", () => {
    expect(content.tables.map(({ id, name, isPrimary }) => [id, name, isPrimary])).toEqual([
      ["tbl_1", "Main", true],
      ["tbl_2", "lines", false],
    ]);
    expect(content.columns.map(({ id, tableId, name, index, type }) => [id, tableId, name, index, type])).toEqual([
      ["col_3", "tbl_1", "a", 0, ColumnType.TEXT],
      ["col_4", "tbl_2", "a", 0, ColumnType.TEXT],
      ["col_5", "tbl_1", "b", 1, ColumnType.TEXT],
      ["col_6", "tbl_2", "b", 1, ColumnType.TEXT],
    ]);
    expect(content.settings).toEqual({ engine: "local", useExamples: true, numberOfExamples: 5 });
  });

  it("makes the same of what a content asks for, without a new id", () => {
    expect(isSameContent(buildContent(toInput(content), content, never), content)).toBe(true);
    expect(isSameContent(buildContent(input, content, never), content)).toBe(true);
  });
});

describe("isSameContent", () => {
  it("sees every difference, but not the order of keys", () => {
    const [first] = content.columns;
    if (first === undefined) throw new Error("There are columns");
    const others: SchemaContent[] = [
      { ...content, instructions: "" },
      { ...content, tables: content.tables.toReversed() },
      { ...content, columns: content.columns.toReversed() },
      { ...content, columns: content.columns.with(0, { ...first, sharedId: "x" }) },
      { ...content, columns: content.columns.with(0, { ...first, required: true }) },
      { ...content, columns: content.columns.with(0, { ...first, synonyms: ["x"] }) },
      { ...content, settings: { ...content.settings, useExamples: false } },
    ];
    expect(others.map((other) => isSameContent(content, other))).toEqual(others.map(() => false));
    const { columns, ...rest } = content;
    expect(isSameContent({ columns, ...rest }, content)).toBe(true);
  });
});

describe("extractedColumnNames", () => {
  it("leaves out what is not extracted", () => {
    expect(extractedColumnNames(content)).toEqual(["a", "a", "b"]);
  });
});

describe("applyChange", () => {
  const nothing = { instructions: "", tables: [], columns: [], extractionSettings: undefined, updateMask: undefined };

  it("takes what holds something for named when there is no mask", () => {
    const outcome = applyChange({ ...nothing, instructions: "New" }, content, true);
    expect(outcome).toMatchObject({ kind: "input", input: { instructions: "New", tables: content.tables } });
  });

  it("blames the tables when they leave columns without a table, the columns when those were given too", () => {
    const [main] = input.tables;
    const tables = main === undefined ? [] : [main];
    const alone = applyChange({ ...nothing, tables }, content, true);
    expect(alone).toMatchObject({ kind: "invalid", violations: [{ field: "tables" }, { field: "tables" }] });
    const both = applyChange({ ...nothing, tables, columns: input.columns }, content, true);
    expect(both).toMatchObject({
      kind: "invalid",
      violations: [{ field: "columns[1].table" }, { field: "columns[3].table" }],
    });
  });
});
