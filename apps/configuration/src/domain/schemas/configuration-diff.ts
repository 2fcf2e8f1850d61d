import type { Column } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Fields, SchemaContent } from "./schema-content.ts";

/** The parts of a configuration, by their REST names. */
export type ConfigurationPart = "instructions" | "tables" | "columns" | "extractionSettings";

/** A column that differs. `fields` are the REST names of the fields with different values, if both sides have the column. */
export interface ColumnDifference {
  readonly table: string;
  readonly slug: string;
  readonly fields: readonly string[];
  readonly before: Fields<Column> | undefined;
  readonly after: Fields<Column> | undefined;
}

/** The difference between two contents. Lists are in the order of the side they describe; lists of changes are in the order of `to`. */
export interface ConfigurationDifference {
  readonly parts: readonly ConfigurationPart[];
  readonly added: readonly ColumnDifference[];
  readonly removed: readonly ColumnDifference[];
  readonly changed: readonly ColumnDifference[];
}

interface PlacedColumn {
  readonly table: string;
  readonly column: Fields<Column>;
}

/** The values of a column that are compared, in the order of the contract. Its ids and its position do not affect what is extracted. */
const columnValues: Readonly<Record<string, (column: Fields<Column>) => unknown>> = {
  sharedId: (column) => column.sharedId ?? null,
  excludedFromExtraction: (column) => column.excludedFromExtraction,
  name: (column) => column.name,
  type: (column) => column.type,
  description: (column) => column.description,
  isKey: (column) => column.isKey,
  required: (column) => column.required,
  enumValues: (column) => column.enumValues,
  synonyms: (column) => column.synonyms,
};

/**
 * Computes the difference between two contents. Columns are matched by the slugs of their tables and of themselves, because a column that
 * was removed and added again has another id, but is the same column for readers of the values.
 */
export function diffContents(from: SchemaContent, to: SchemaContent): ConfigurationDifference {
  const before = columnsByPlace(from);
  const after = columnsByPlace(to);
  const changed = [...after].flatMap(([key, { table, column }]) => {
    const old = before.get(key)?.column;
    const fields = old === undefined ? [] : changedFields(old, column);
    return fields.length === 0 ? [] : [{ table, slug: column.slug, fields, before: old, after: column }];
  });
  return {
    parts: changedParts(from, to),
    added: [...after]
      .filter(([key]) => !before.has(key))
      .map(([, { table, column }]) => ({ table, slug: column.slug, fields: [], before: undefined, after: column })),
    removed: [...before]
      .filter(([key]) => !after.has(key))
      .map(([, { table, column }]) => ({ table, slug: column.slug, fields: [], before: column, after: undefined })),
    changed,
  };
}

function columnsByPlace({ tables, columns }: SchemaContent): ReadonlyMap<string, PlacedColumn> {
  const slugById = new Map(tables.map(({ id, slug }) => [id, slug]));
  return new Map(
    columns.map((column) => {
      const table = slugById.get(column.tableId) ?? "";
      return [`${table} ${column.slug}`, { table, column }];
    }),
  );
}

function changedFields(before: Fields<Column>, after: Fields<Column>): string[] {
  return Object.entries(columnValues).flatMap(([field, value]) =>
    isEqual(value(before), value(after)) ? [] : [field],
  );
}

function changedParts(from: SchemaContent, to: SchemaContent): ConfigurationPart[] {
  const parts: Readonly<Record<ConfigurationPart, (content: SchemaContent) => unknown>> = {
    instructions: ({ instructions }) => instructions,
    tables: ({ tables }) =>
      tables.map(({ slug, name, instructions, isPrimary }) => [slug, name, instructions, isPrimary]),
    columns: (content) =>
      [...columnsByPlace(content)].map(([key, { column }]) => [
        key,
        ...Object.values(columnValues).map((value) => value(column)),
      ]),
    extractionSettings: ({ settings }) => [
      ...[settings.engine, settings.modelName ?? null, settings.temperature ?? null],
      ...[settings.useExamples, settings.numberOfExamples],
    ],
  };
  return (Object.keys(parts) as ConfigurationPart[]).filter((part) => !isEqual(parts[part](from), parts[part](to)));
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
