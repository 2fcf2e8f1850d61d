import type { AcceptedValues } from "@switchyard/client";
import { table, type View } from "@switchyard/terminal";
import { valueText } from "./value-text.ts";

/** Formats accepted values as one line: what they belong to, and how many rows they have. */
export function acceptedSummary({ fileId, deploymentId, tables }: AcceptedValues): View {
  return [
    table(
      [
        { title: "file", content: "reference" },
        { title: "model", content: "reference" },
        { title: "rows", right: true },
      ],
      [[fileId, deploymentId, tables.reduce((sum, { rows }) => sum + rows.length, 0)]],
    ),
  ];
}

/** Formats accepted values with a line for each cell. */
export function acceptedView({ tables }: AcceptedValues): View {
  return [
    table(
      [{ title: "table" }, { title: "row", right: true }, { title: "column" }, { title: "value", content: "text" }],
      tables.flatMap(({ slug, rows }) =>
        rows.flatMap(({ values }, index) =>
          Object.entries(values).map(([column, value]) => [slug, index, column, valueText(value)]),
        ),
      ),
    ),
  ];
}
