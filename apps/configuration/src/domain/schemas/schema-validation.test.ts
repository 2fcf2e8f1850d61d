import { create } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  ColumnType,
  MatchingKind,
  MatchingSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { TableInput } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { columnInput } from "../../testing/column-input.ts";
import { attributeToTables, schemaBounds, validateSchema } from "./schema-validation.ts";
import type { Fields, SchemaInput } from "./schema-content.ts";

const table = (fields: Partial<Fields<TableInput>> = {}): Fields<TableInput> => ({
  slug: "main",
  name: "",
  instructions: "",
  ...fields,
});

const schema = (fields: Partial<SchemaInput> = {}): SchemaInput => ({
  instructions: "",
  tables: [table()],
  columns: [columnInput()],
  settings: undefined,
  ...fields,
});

const toFields = (input: SchemaInput, tablesNeeded = true): string[] =>
  validateSchema(input, tablesNeeded).map(({ field }) => field);

const matched = (type: ColumnType, matching: MessageInitShape<typeof MatchingSchema>): SchemaInput =>
  schema({ columns: [columnInput({ type, matching: create(MatchingSchema, matching) })] });
const { NUMBER, TEXT, DATE, BOOLEAN } = ColumnType;

const two = [table({ slug: "a", isPrimary: true }), table({ slug: "b" })];

describe("validateSchema", () => {
  it.each<[string, SchemaInput]>([
    ["a single table without isPrimary", schema()],
    ["two tables, one of them primary", schema({ tables: two, columns: [columnInput({ table: "b" })] })],
    [
      "the same column slug in two tables",
      schema({ tables: two, columns: [columnInput({ table: "a" }), columnInput({ table: "b" })] }),
    ],
    ["a table without columns", schema({ columns: [] })],
    ["a slug of 63 characters", schema({ columns: [columnInput({ slug: `a${"_".repeat(62)}` })] })],
    ["an ENUM with values", schema({ columns: [columnInput({ type: ColumnType.ENUM, enumValues: ["x", "y"] })] })],
    ["EXACT for a Boolean", matched(BOOLEAN, { kind: MatchingKind.EXACT })],
    [
      "NUMERIC for a number",
      matched(NUMBER, { kind: MatchingKind.NUMERIC, absoluteTolerance: 0, relativeTolerance: 1 }),
    ],
    ["NUMERIC without a type", matched(ColumnType.UNSPECIFIED, { kind: MatchingKind.NUMERIC, absoluteTolerance: 1 })],
    ["DATE for a text", matched(TEXT, { kind: MatchingKind.DATE })],
    ["EDITS for a text", matched(TEXT, { kind: MatchingKind.EDITS, maxEdits: 100 })],
    ["no type", schema({ columns: [columnInput({ type: ColumnType.UNSPECIFIED })] })],
    ["instructions of the maximum length", schema({ instructions: "🚂".repeat(schemaBounds.instructions) })],
  ])("accepts %s", (_name, input) => {
    expect(validateSchema(input, true)).toEqual([]);
  });

  it.each<[string, string[], SchemaInput]>([
    ["instructions that are too long", ["instructions"], schema({ instructions: "x".repeat(10_001) })],
    ["columns without a table", ["tables", "columns[0].table"], schema({ tables: [] })],
    [
      "two tables, neither of them primary",
      ["tables"],
      schema({ tables: [table({ slug: "a" }), table({ slug: "b" })], columns: [] }),
    ],
    ["a single table with isPrimary false", ["tables"], schema({ tables: [table({ isPrimary: false })] })],
    [
      "two primary tables",
      ["tables[1].isPrimary"],
      schema({ tables: [table({ slug: "a", isPrimary: true }), table({ slug: "b", isPrimary: true })], columns: [] }),
    ],
    [
      "a repeated table slug",
      ["tables[1].slug"],
      schema({ tables: [table({ isPrimary: true }), table()], columns: [] }),
    ],
    [
      "missing slugs",
      ["tables[0].slug", "columns[0].slug"],
      schema({ tables: [table({ slug: "" })], columns: [columnInput({ slug: "", table: "" })] }),
    ],
    ["an unknown table", ["columns[0].table"], schema({ columns: [columnInput({ table: "other" })] })],
    ["a column without a table if there are two", ["columns[0].table"], schema({ tables: two })],
    [
      "a repeated column slug",
      ["columns[1].slug"],
      schema({ columns: [columnInput(), columnInput({ table: "main" })] }),
    ],
    [
      "an ENUM without values",
      ["columns[0].enumValues"],
      schema({ columns: [columnInput({ type: ColumnType.ENUM })] }),
    ],
    [
      "empty and repeated ENUM values",
      ["columns[0].enumValues[1]", "columns[0].enumValues[2]"],
      schema({ columns: [columnInput({ type: ColumnType.ENUM, enumValues: ["x", " ", "x"] })] }),
    ],
    [
      "values of a type other than ENUM",
      ["columns[0].enumValues"],
      schema({ columns: [columnInput({ enumValues: ["x"] })] }),
    ],
    ["an unknown type", ["columns[0].type"], schema({ columns: [columnInput({ type: 99 as ColumnType })] })],
    ["a blank sharedId", ["columns[0].sharedId"], schema({ columns: [columnInput({ sharedId: " " })] })],
    ["a blank synonym", ["columns[0].synonyms[1]"], schema({ columns: [columnInput({ synonyms: ["x", ""] })] })],
    [
      "names that are too long",
      ["tables[0].name", "columns[0].name"],
      schema({ tables: [table({ name: "x".repeat(121) })], columns: [columnInput({ name: "x".repeat(121) })] }),
    ],
    [
      "a description that is too long",
      ["columns[0].description"],
      schema({ columns: [columnInput({ description: "x".repeat(2001) })] }),
    ],
    ["a matching without a kind", ["columns[0].matching.kind"], matched(TEXT, {})],
    ["an unknown kind of matching", ["columns[0].matching.kind"], matched(TEXT, { kind: 99 as MatchingKind })],
    [
      "a matching that does not fit the type",
      ["columns[0].matching.kind"],
      matched(BOOLEAN, { kind: MatchingKind.NUMERIC, absoluteTolerance: 1 }),
    ],
    ["EDITS for a number", ["columns[0].matching.kind"], matched(NUMBER, { kind: MatchingKind.EDITS, maxEdits: 1 })],
    ["NUMERIC without a tolerance", ["columns[0].matching"], matched(NUMBER, { kind: MatchingKind.NUMERIC })],
    [
      "tolerances that are out of bounds",
      ["columns[0].matching.absoluteTolerance", "columns[0].matching.relativeTolerance"],
      matched(NUMBER, { kind: MatchingKind.NUMERIC, absoluteTolerance: -1, relativeTolerance: 1.1 }),
    ],
    [
      "tolerances that are no finite numbers",
      ["columns[0].matching.absoluteTolerance", "columns[0].matching.relativeTolerance"],
      matched(NUMBER, { kind: MatchingKind.NUMERIC, absoluteTolerance: Infinity, relativeTolerance: NaN }),
    ],
    ["EDITS without a number", ["columns[0].matching.maxEdits"], matched(TEXT, { kind: MatchingKind.EDITS })],
    [
      "edits that are out of bounds",
      ["columns[0].matching.maxEdits"],
      matched(TEXT, { kind: MatchingKind.EDITS, maxEdits: 101 }),
    ],
    [
      "fields of other kinds of matching",
      ["columns[0].matching.relativeTolerance", "columns[0].matching.maxEdits"],
      matched(DATE, { kind: MatchingKind.DATE, relativeTolerance: 0, maxEdits: 1 }),
    ],
  ])("reports %s", (_name, fields, input) => {
    // A table without a slug cannot be referred to, so its column is reported as well.
    const expected =
      fields[0] === "tables[0].slug" ? ["tables[0].slug", "columns[0].table", "columns[0].slug"] : fields;
    expect(toFields(input)).toEqual(expected);
  });

  it.each(["A", "1a", "a-b", "a b", "_a", "ä", `a${"b".repeat(63)}`, "a\n"])("rejects the slug %p", (slug) => {
    expect(toFields(schema({ columns: [columnInput({ slug })] }))).toEqual(["columns[0].slug"]);
  });

  it("accepts 50 tables and 500 columns, and reports one violation if there are more", () => {
    const tables = (count: number) =>
      Array.from({ length: count }, (_, i) => table({ slug: `t${i}`, isPrimary: i === 0 }));
    const columns = (count: number) =>
      Array.from({ length: count }, (_, i) => columnInput({ table: "t0", slug: `c${i}` }));
    expect(toFields(schema({ tables: tables(50), columns: columns(500) }))).toEqual([]);
    expect(toFields(schema({ tables: tables(51), columns: columns(501) }))).toEqual(["tables", "columns"]);
  });

  it("limits the total length of texts", () => {
    const columns = Array.from({ length: 500 }, (_, index) =>
      columnInput({ slug: `c${index}`, description: "x".repeat(2000) }),
    );
    expect(toFields(schema({ columns }))).toEqual(["columns"]);
  });

  it("accepts content without tables only if none are needed", () => {
    const nothing = schema({ tables: [], columns: [] });
    expect([toFields(nothing, false), toFields(nothing, true)]).toEqual([[], ["tables"]]);
  });
});

describe("attributeToTables", () => {
  it("reports violations of columns that are not in the request as violations of the tables", () => {
    const violations = [
      { field: "columns[3].table", message: "is not a table of this configuration" },
      { field: "instructions", message: "too long" },
    ];
    expect(attributeToTables(violations).map(({ field }) => field)).toEqual(["tables", "instructions"]);
  });
});
