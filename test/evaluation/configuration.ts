import { create } from "@bufbuild/protobuf";
import {
  ColumnSchema,
  ConfigurationSchema,
  TableSchema,
  type ColumnType,
  type Configuration,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";

/** A column: its slug, its name, its type and its description. */
export type ColumnSpec = readonly [slug: string, name: string, type: ColumnType, description?: string];

/** Creates a configuration from columns by table. The first table is the primary one. */
export function createConfiguration(tables: Readonly<Record<string, readonly ColumnSpec[]>>): Configuration {
  return create(ConfigurationSchema, {
    tables: Object.keys(tables).map((slug, index) =>
      create(TableSchema, { id: slug, slug, name: slug, isPrimary: index === 0 }),
    ),
    columns: Object.entries(tables).flatMap(([tableId, columns]) =>
      columns.map(([slug, name, type, description], index) =>
        create(ColumnSchema, {
          id: `${tableId}.${slug}`,
          tableId,
          slug,
          name,
          type,
          index,
          description: description ?? "",
        }),
      ),
    ),
  });
}
