import { create } from "@bufbuild/protobuf";
import { ColumnSchema, ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Field } from "../../../concepts.ts";
import { LINE_CONCEPTS } from "../../../lexicon/lexicon.ts";

/** The concepts that are read for checks even if no column asks for them. */
const CHECKED = [
  "line-number",
  "line-balance",
  "line-debit",
  "line-credit",
  "line-amount",
  "line-quantity",
  "line-price",
] as const;

/** Returns fields for the concepts that rows are checked by, except for those that the given fields have. They give no values. */
export function otherFields(fields: readonly Field[]): Field[] {
  return LINE_CONCEPTS.filter(
    ({ id }) => CHECKED.some((each) => each === id) && !fields.some((field) => field.concept?.id === id),
  ).map((concept) => ({
    column: create(ColumnSchema, {
      tableId: "~",
      slug: `~${concept.id}`,
      type: concept.kind === "identifier" ? ColumnType.TEXT : ColumnType.NUMBER,
    }),
    concept,
    certain: true,
    kind: concept.kind,
    labels: [],
  }));
}
