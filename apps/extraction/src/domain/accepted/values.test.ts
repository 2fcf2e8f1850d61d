import { create } from "@bufbuild/protobuf";
import { NullValue, ValueSchema } from "@bufbuild/protobuf/wkt";
import { ColumnSchema, ConfigurationSchema } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { validateTables } from "./values.ts";

const configuration = create(ConfigurationSchema, {
  tables: [{ id: "t1", slug: "invoice", isPrimary: true }],
  columns: [create(ColumnSchema, { id: "c1", tableId: "t1", slug: "total" })],
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
});
