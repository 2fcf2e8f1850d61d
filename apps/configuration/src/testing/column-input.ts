import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ColumnInput } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Fields } from "../domain/schemas/schema-content.ts";

/** Creates the input of a text column without a name, with these fields changed. */
export function columnInput(fields: Partial<Fields<ColumnInput>> = {}): Fields<ColumnInput> {
  return {
    table: "",
    slug: "a",
    excludedFromExtraction: false,
    name: "",
    type: ColumnType.TEXT,
    description: "",
    isKey: false,
    required: false,
    enumValues: [],
    synonyms: [],
    ...fields,
  };
}
