import type { Value } from "@bufbuild/protobuf/wkt";

/** A cell's value as JSON has it. */
export type Scalar = string | number | boolean | null;

/** A table of a file: rows of values by column slug. A column that a row does not name is empty there. */
export interface ValueTable {
  readonly slug: string;
  readonly rows: readonly ValueRow[];
}

/** A row of values by column slug. */
export interface ValueRow {
  readonly values: Readonly<Record<string, Scalar | undefined>>;
}

/** Tables as extractions and accepted values have them. */
interface MessageTable {
  readonly slug: string;
  readonly rows: readonly { readonly values: Readonly<Record<string, Value>> }[];
}

/** The tables of an extraction or of accepted values as plain values. Lists and objects, which no column holds, are empty. */
export function valueTables(tables: readonly MessageTable[]): ValueTable[] {
  return tables.map(({ slug, rows }) => ({
    slug,
    rows: rows.map(({ values }) => ({
      values: Object.fromEntries(Object.entries(values).map(([column, value]) => [column, toScalar(value)])),
    })),
  }));
}

/** Null, undefined, blank characters and what is no number are the same: there is no value. */
export function isEmpty(value: unknown): value is null | undefined | "" {
  if (typeof value === "string") return value.trim() === "";
  return value === null || value === undefined || Number.isNaN(value) || (Array.isArray(value) && value.length === 0);
}

function toScalar({ kind }: Value): Scalar {
  return kind.case === "stringValue" || kind.case === "numberValue" || kind.case === "boolValue" ? kind.value : null;
}
