import { create, fromJson, toJson } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import {
  ColumnSchema,
  ColumnType,
  ConfigurationSchema,
  MatchingKind,
  MatchingSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedTableSchema, CorrectionSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { applyCorrections, countCorrections, maxCorrections, validateCells, validateShape } from "./corrections.ts";

const configuration = create(ConfigurationSchema, {
  tables: [
    { id: "t1", slug: "invoice", isPrimary: true },
    { id: "t2", slug: "items" },
  ],
  columns: [
    { id: "c1", tableId: "t1", slug: "total", type: ColumnType.NUMBER },
    { id: "c2", tableId: "t2", slug: "what", type: ColumnType.TEXT },
    { id: "c3", tableId: "t2", slug: "note", type: ColumnType.TEXT, excludedFromExtraction: true },
  ],
});
const tables = [
  create(AcceptedTableSchema, {
    slug: "invoice",
    rows: [{ values: { total: { kind: { case: "numberValue", value: 1 } } } }],
  }),
  create(AcceptedTableSchema, { slug: "items" }),
];
const correction = (table: string, row: number | undefined, column: string, value?: JsonValue) =>
  create(CorrectionSchema, {
    table,
    column,
    ...(row === undefined ? {} : { row }),
    ...(value === undefined ? {} : { value: fromJson(ValueSchema, value) }),
  });
const fields = (violations: readonly { field: string }[]): string[] => violations.map(({ field }) => field);

function apply(...corrections: ReturnType<typeof correction>[]): unknown {
  const applied = applyCorrections(tables, corrections);
  if ("violations" in applied) return fields(applied.violations);
  return applied.tables.map(({ slug, rows }) => [
    slug,
    ...rows.map(({ values }) =>
      Object.fromEntries(Object.entries(values).map(([key, value]) => [key, toJson(ValueSchema, value)])),
    ),
  ]);
}

describe("corrections", () => {
  it("have a table, a row, a column and a value, which can be null", () => {
    expect(validateShape([correction("invoice", 0, "total", null)])).toEqual([]);
    expect(fields(validateShape([correction("", undefined, "")]))).toEqual(
      ["table", "row", "column", "value"].map((field) => `corrections[0].${field}`),
    );
    expect(fields(validateShape([correction("items", -1, "what", "a")]))).toEqual(["corrections[0].row"]);
    // A Value without a kind is not a value.
    const unset = create(CorrectionSchema, { table: "invoice", row: 0, column: "total", value: {} });
    expect(fields(validateShape([unset]))).toEqual(["corrections[0].value"]);
  });

  it("name each cell once, and are limited in number", () => {
    const same = [correction("items", 0, "what", "a"), correction("items", 0, "what", "a")];
    expect(validateShape(same)).toEqual([{ field: "corrections[1]", message: "is the same cell as corrections[0]" }]);
    const many = Array.from({ length: maxCorrections + 1 }, (_, row) => correction("items", row, "what", "a"));
    expect(fields(validateShape(many))).toEqual(["corrections"]);
    expect(validateShape(many.slice(1))).toEqual([]);
  });

  it("name cells of the configuration, with values of the types of their columns", () => {
    const wrong = [
      correction("till", 0, "total", 1),
      correction("invoice", 1, "total", 1),
      correction("invoice", 0, "what", "a"),
      correction("invoice", 0, "total", "1"),
      correction("items", 0, "what", ["a"]),
    ];
    expect(fields(validateCells(wrong, configuration))).toEqual([
      "corrections[0].table",
      "corrections[1].row",
      "corrections[2].column",
      "corrections[3].value",
      "corrections[4].value",
    ]);
    const right = [correction("invoice", 0, "total", null), correction("items", 9, "note", "excluded")];
    expect(validateCells(right, configuration)).toEqual([]);
  });

  it("set cells, and add rows one past the end", () => {
    expect(apply(correction("invoice", 0, "total", 2))).toEqual([["invoice", { total: 2 }], ["items"]]);
    expect(
      apply(
        correction("items", 0, "what", "Apples"),
        correction("items", 0, "note", null),
        correction("items", 1, "what", "Pears"),
      ),
    ).toEqual([
      ["invoice", { total: 1 }],
      ["items", { what: "Apples", note: null }, { what: "Pears" }],
    ]);
  });

  it("count if the value does not match that of the extraction", () => {
    const count = (change: { absoluteTolerance: number } | undefined, ...given: ReturnType<typeof correction>[]) => {
      const columns = configuration.columns.map((column) =>
        column.slug === "total" && change
          ? create(ColumnSchema, {
              ...column,
              matching: create(MatchingSchema, { kind: MatchingKind.NUMERIC, ...change }),
            })
          : column,
      );
      return countCorrections(tables, given, create(ConfigurationSchema, { tables: configuration.tables, columns }));
    };
    expect(count(undefined, correction("invoice", 0, "total", 1), correction("invoice", 0, "total", 1.004))).toBe(0);
    expect(count(undefined, correction("invoice", 0, "total", 1.4))).toBe(1);
    expect(count({ absoluteTolerance: 0.5 }, correction("invoice", 0, "total", 1.4))).toBe(0);
    expect(count({ absoluteTolerance: 0.5 }, correction("invoice", 0, "total", 1.6))).toBe(1);
    expect(count({ absoluteTolerance: 0.5 }, correction("invoice", 0, "total", null))).toBe(1);
    expect(count(undefined, correction("items", 0, "what", "Apples"), correction("items", 1, "what", null))).toBe(1);
  });

  it("leave the extraction unchanged, and are refused farther beyond the end", () => {
    expect(apply(correction("items", 1, "what", "a"), correction("items", 0, "what", "b"))).toEqual([
      "corrections[0].row",
    ]);
    expect(apply()).toEqual([["invoice", { total: 1 }], ["items"]]);
  });
});
