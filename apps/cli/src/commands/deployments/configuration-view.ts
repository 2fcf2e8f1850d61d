import type { Column, Configuration } from "@switchyard/client";
import { fields, table, type View } from "@switchyard/terminal";

/** Formats a configuration with its columns. */
export function configurationView(configuration: Configuration): View {
  const { deployment, tables, columns, extractionSettings } = configuration;
  const slugs = new Map(tables.map(({ id, slug }) => [id, slug]));
  return [
    fields(
      ["id", deployment?.id],
      ["name", deployment?.name],
      ["type", deployment?.type],
      ["status", deployment?.status],
      ["project", deployment?.projectId],
      ["schema", configuration.extractionSchemaId],
      ["version", configuration.version],
      ["instructions", configuration.instructions],
      ["tables", tables.map(({ slug, isPrimary }) => (isPrimary ? `${slug} (primary)` : slug)).join(", ")],
      ["engine", extractionSettings?.engine],
      ["updated", configuration.updatedAt],
    ),
    table(
      [
        { title: "table" },
        { title: "column" },
        { title: "name", content: "text" },
        { title: "type" },
        { title: "shared id" },
        { title: "excluded" },
        { title: "description", content: "text" },
        { title: "matching" },
      ],
      columns.map(({ tableId, slug, name, type, sharedId, excludedFromExtraction, description, matching }) => [
        slugs.get(tableId),
        slug,
        name,
        type,
        sharedId,
        excludedFromExtraction ? "yes" : "no",
        description,
        formatMatching(matching),
      ]),
    ),
  ];
}

/** Formats when values of a column match, such as "NUMERIC 0.01 or 1 %". */
function formatMatching(matching: Column["matching"]): string | null {
  if (matching === null) return null;
  const { kind, absoluteTolerance, relativeTolerance, maxEdits } = matching;
  // As decimal numbers: 0.07 * 100 is 7.000000000000001.
  const percent = relativeTolerance === null ? null : `${Number((relativeTolerance * 100).toPrecision(12))} %`;
  const tolerances = [absoluteTolerance, percent];
  const parts = [tolerances.filter((part) => part !== null).join(" or "), maxEdits ?? ""];
  return [kind, ...parts.filter((part) => part !== "")].join(" ");
}
