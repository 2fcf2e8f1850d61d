import type { Value } from "@bufbuild/protobuf/wkt";
import { toScalar } from "@switchyard/matching";
import type { Scalar } from "@switchyard/matching";

/**
 * A table of a file: rows of values by the slug of their column. In accepted values, a column that a row does not contain is not labeled,
 * a table without rows is labeled as empty, and a table that is left out is not labeled. Of extracted values, all of these are empty.
 */
export interface ValueTable {
  readonly slug: string;
  readonly rows: readonly ValueRow[];
}

/** A row of values by the slug of their column. */
export interface ValueRow {
  readonly values: Readonly<Record<string, Scalar | undefined>>;
}

/** A table in the messages of extractions and accepted values. */
interface MessageTable {
  readonly slug: string;
  readonly rows: readonly { readonly values: Readonly<Record<string, Value>> }[];
}

/** Converts the tables of messages to plain values. Lists and objects, which no column can have, become empty. */
export function toValueTables(tables: readonly MessageTable[]): ValueTable[] {
  return tables.map(({ slug, rows }) => ({
    slug,
    rows: rows.map(({ values }) => ({
      values: Object.fromEntries(Object.entries(values).map(([column, value]) => [column, toScalar(value)])),
    })),
  }));
}
