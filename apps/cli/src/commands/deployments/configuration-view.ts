import type { Configuration } from "@switchyard/client";
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
      ],
      columns.map(({ tableId, slug, name, type, sharedId, excludedFromExtraction, description }) => [
        slugs.get(tableId),
        slug,
        name,
        type,
        sharedId,
        excludedFromExtraction ? "yes" : "no",
        description,
      ]),
    ),
  ];
}
