import { create } from "@bufbuild/protobuf";
import { NullValue, ValueSchema } from "@bufbuild/protobuf/wkt";
import { ColumnSchema, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { validateTables } from "./values.ts";

const configuration = create(ConfigurationSchema, {
  tables: [
    { id: "t1", slug: "invoice", isPrimary: true },
    { id: "t2", slug: "lines" },
  ],
  columns: [
    create(ColumnSchema, { id: "c1", tableId: "t1", slug: "total" }),
    create(ColumnSchema, { id: "c2", tableId: "t2", slug: "what" }),
  ],
});

describe("accepted values", () => {
  it("can be null, but a message without a value is refused: a binary request can contain one", () => {
    const validate = (value: ReturnType<typeof create<typeof ValueSchema>>) =>
      validateTables(
        [create(AcceptedTableSchema, { slug: "invoice", rows: [{ values: { total: value } }] })],
        configuration,
      );
    expect(validate(create(ValueSchema, { kind: { case: "nullValue", value: NullValue.NULL_VALUE } }))).toEqual([]);
    expect(validate(create(ValueSchema))).toEqual([
      { field: "tables[0].rows[0].values.total", message: "is required; null says that there is none" },
    ]);
  });

  it("have at most 200,000 rows and values and 12 MiB, so that they fit in a document of the database", () => {
    const text = (length: number) => create(ValueSchema, { kind: { case: "stringValue", value: "x".repeat(length) } });
    const validate = (rows: { values: Record<string, ReturnType<typeof text>> }[]) =>
      validateTables([create(AcceptedTableSchema, { slug: "lines", rows })], configuration);
    const cell = text(1);
    expect(validate(Array(100_000).fill({ values: { what: cell } }))).toEqual([]);
    expect(validate(Array(100_001).fill({ values: { what: cell } }))).toEqual([
      { field: "tables", message: "must have at most 200000 rows and values for one file" },
    ]);
    expect(validate([{ values: { what: text(12 * 1024 * 1024 - 100) } }])).toEqual([]);
    expect(validate([{ values: { what: text(12 * 1024 * 1024) } }])).toEqual([
      { field: "tables", message: "must have at most 12582912 bytes, but has 12582950" },
    ]);
  });
});
