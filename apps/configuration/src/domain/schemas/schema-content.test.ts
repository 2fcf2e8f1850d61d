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
  throw new Error("No new ID was expected");
};

describe("buildContent", () => {
  it("assigns IDs and positions, and uses the slug as the name if there is none", () => {
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

  it("returns equal content for the input of existing content, without new IDs", () => {
    expect(isSameContent(buildContent(toInput(content), content, never), content)).toBe(true);
    expect(isSameContent(buildContent(input, content, never), content)).toBe(true);
  });
});

describe("isSameContent", () => {
  it("reports every difference except the order of keys", () => {
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
  it("leaves out columns that are excluded from extraction", () => {
    expect(extractedColumnNames(content)).toEqual(["a", "a", "b"]);
  });
});

describe("applyChange", () => {
  const nothing = { instructions: "", tables: [], columns: [], extractionSettings: undefined, updateMask: undefined };

  it("changes the fields that are not empty if there is no mask", () => {
    const outcome = applyChange({ ...nothing, instructions: "New" }, content, true, []);
    expect(outcome).toMatchObject({ kind: "input", input: { instructions: "New", tables: content.tables } });
  });

  it("lets settings keep an engine and a model that the operator has removed", () => {
    const settings = {
      engine: "gone",
      modelName: "old",
      temperature: undefined,
      useExamples: true,
      numberOfExamples: 1,
    };
    const old = { ...content, settings: { ...content.settings, ...settings } };
    const change = (changes: object) =>
      applyChange({ ...nothing, extractionSettings: { ...settings, ...changes } }, old, true, []);
    expect(change({ numberOfExamples: 2 })).toMatchObject({ kind: "input", input: { settings: { engine: "gone" } } });
    expect(change({ modelName: undefined })).toMatchObject({ kind: "input" });
    expect(change({ modelName: "new" })).toMatchObject({ violations: [{ field: "extractionSettings.modelName" }] });
    expect(change({ engine: "other" })).toMatchObject({ violations: [{ field: "extractionSettings.engine" }] });
  });

  it("reports columns without a table as violations of the tables, or of the columns if the request has them", () => {
    const [main] = input.tables;
    const tables = main === undefined ? [] : [main];
    const alone = applyChange({ ...nothing, tables }, content, true, []);
    expect(alone).toMatchObject({ kind: "invalid", violations: [{ field: "tables" }, { field: "tables" }] });
    const both = applyChange({ ...nothing, tables, columns: input.columns }, content, true, []);
    expect(both).toMatchObject({
      kind: "invalid",
      violations: [{ field: "columns[1].table" }, { field: "columns[3].table" }],
    });
  });
});
