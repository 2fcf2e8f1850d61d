import {
  ColumnSchema,
  ExtractionSettingsSchema,
} from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";

/** A column that differs between two configurations. */
export interface ColumnChange {
  /** The slug of its table. */
  readonly table: string;
  readonly slug: string;
  /** The REST names of the fields that differ, if both configurations have the column. */
  readonly fields: readonly string[];
  readonly before: Column | null;
  readonly after: Column | null;
}

/** The differences between two configurations, as the configuration service computes them between versions of a schema. */
export interface ConfigurationChanges {
  readonly parts: readonly ("instructions" | "tables" | "columns" | "extractionSettings")[];
  readonly added: readonly ColumnChange[];
  readonly removed: readonly ColumnChange[];
  readonly changed: readonly ColumnChange[];
}

/** The fields of a column that do not affect what is extracted. */
const ownFields: ReadonlySet<string> = new Set(["id", "tableId", "index"]);
const columnFields = ColumnSchema.fields.filter(({ localName }) => !ownFields.has(localName));

/** Computes how a configuration differs from another one. Columns are matched by the slugs of their tables and of themselves. */
export function diffConfigurations(from: Configuration, to: Configuration): ConfigurationChanges {
  const [before, after] = [columnsByPlace(from), columnsByPlace(to)];
  const toChange = ({ table, column }: PlacedColumn) => ({ table, slug: column.slug, fields: [] });
  return {
    parts: (["instructions", "tables", "columns", "extractionSettings"] as const).filter(
      (part) => toText(getPart[part](from)) !== toText(getPart[part](to)),
    ),
    added: [...after]
      .filter(([key]) => !before.has(key))
      .map(([, place]) => ({ ...toChange(place), before: null, after: place.column })),
    removed: [...before]
      .filter(([key]) => !after.has(key))
      .map(([, place]) => ({ ...toChange(place), before: place.column, after: null })),
    changed: [...after].flatMap(([key, place]) => {
      const old = before.get(key)?.column;
      if (old === undefined) return [];
      const fields = columnFields.filter(
        ({ localName }) => toText(getValue(old, localName)) !== toText(getValue(place.column, localName)),
      );
      if (fields.length === 0) return [];
      return [{ ...toChange(place), fields: fields.map(({ jsonName }) => jsonName), before: old, after: place.column }];
    }),
  };
}

interface PlacedColumn {
  readonly table: string;
  readonly column: Column;
}

function columnsByPlace({ tables, columns }: Configuration): ReadonlyMap<string, PlacedColumn> {
  const slugs = new Map(tables.map(({ id, slug }) => [id, slug]));
  return new Map(
    columns.map((column) => {
      const table = slugs.get(column.tableId) ?? "";
      return [`${table} ${column.slug}`, { table, column }];
    }),
  );
}

const getPart: Readonly<Record<ConfigurationChanges["parts"][number], (configuration: Configuration) => unknown>> = {
  instructions: ({ instructions }) => instructions,
  tables: ({ tables }) =>
    tables.map(({ slug, name, instructions, isPrimary }) => [slug, name, instructions, isPrimary]),
  columns: (configuration) =>
    [...columnsByPlace(configuration)].map(([key, { column }]) => [
      key,
      ...columnFields.map(({ localName }) => getValue(column, localName)),
    ]),
  extractionSettings: ({ extractionSettings: settings }) =>
    settings && ExtractionSettingsSchema.fields.map(({ localName }) => getValue(settings, localName)),
};

function getValue(message: object, name: string): unknown {
  return (message as Readonly<Record<string, unknown>>)[name] ?? null;
}

function toText(value: unknown): string {
  return JSON.stringify(value ?? null);
}
