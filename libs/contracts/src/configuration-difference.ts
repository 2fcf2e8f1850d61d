import { ColumnSchema, ExtractionSettingsSchema } from "./gen/switchyard/configuration/v1/configuration_pb.ts";
import type { Column, ExtractionSettings, Table } from "./gen/switchyard/configuration/v1/configuration_pb.ts";

/** The fields of a message, without the fields of the protobuf runtime. */
type Fields<Message> = Readonly<Omit<Message, "$typeName" | "$unknown">>;

/** What of a configuration decides about extraction. */
export interface ConfigurationContent<ColumnFields extends Fields<Column>> {
  readonly instructions: string;
  readonly tables: readonly Fields<Table>[];
  readonly columns: readonly ColumnFields[];
  readonly extractionSettings?: Fields<ExtractionSettings> | undefined;
}

/** The parts of a configuration, by their REST names. */
export type ConfigurationPart = "instructions" | "tables" | "columns" | "extractionSettings";

/** A column that differs. `fields` are the REST names of the fields with different values, if both sides have the column. */
export interface ColumnDifference<ColumnFields> {
  /** The slug of its table. */
  readonly table: string;
  readonly slug: string;
  readonly fields: readonly string[];
  readonly before: ColumnFields | undefined;
  readonly after: ColumnFields | undefined;
}

/** The difference between two configurations. Lists are in the order of the side they describe; lists of changes are in the order of `to`. */
export interface ConfigurationDifference<ColumnFields> {
  readonly parts: readonly ConfigurationPart[];
  readonly added: readonly ColumnDifference<ColumnFields>[];
  readonly removed: readonly ColumnDifference<ColumnFields>[];
  readonly changed: readonly ColumnDifference<ColumnFields>[];
}

/** The fields of a column that do not affect what is extracted. */
const ownFields: ReadonlySet<string> = new Set(["id", "tableId", "index"]);
const columnFields = ColumnSchema.fields.filter(({ localName }) => !ownFields.has(localName));

/**
 * Computes the difference between two configurations. Columns are matched by the slugs of their tables and of themselves, because a column
 * that was removed and added again has another ID, but is the same column for readers of the values.
 */
export function diffConfigurations<ColumnFields extends Fields<Column>>(
  from: ConfigurationContent<ColumnFields>,
  to: ConfigurationContent<ColumnFields>,
): ConfigurationDifference<ColumnFields> {
  const before = columnsByPlace(from);
  const after = columnsByPlace(to);
  const getParts = (content: ConfigurationContent<ColumnFields>): Readonly<Record<ConfigurationPart, unknown>> => ({
    instructions: content.instructions,
    tables: content.tables.map(({ slug, name, instructions, isPrimary }) => [slug, name, instructions, isPrimary]),
    columns: [...columnsByPlace(content)].map(([key, { column }]) => [
      key,
      ...columnFields.map(({ localName }) => getValue(column, localName)),
    ]),
    extractionSettings:
      content.extractionSettings &&
      ExtractionSettingsSchema.fields.map(({ localName }) => getValue(content.extractionSettings, localName)),
  });
  const [old, current] = [getParts(from), getParts(to)];
  return {
    parts: (Object.keys(old) as ConfigurationPart[]).filter((part) => !isEqual(old[part], current[part])),
    added: [...after]
      .filter(([key]) => !before.has(key))
      .map(([, { table, column }]) => ({ table, slug: column.slug, fields: [], before: undefined, after: column })),
    removed: [...before]
      .filter(([key]) => !after.has(key))
      .map(([, { table, column }]) => ({ table, slug: column.slug, fields: [], before: column, after: undefined })),
    changed: [...after].flatMap(([key, { table, column }]) => {
      const earlier = before.get(key)?.column;
      if (earlier === undefined) return [];
      const fields = columnFields
        .filter(({ localName }) => !isEqual(getValue(earlier, localName), getValue(column, localName)))
        .map(({ jsonName }) => jsonName);
      return fields.length === 0 ? [] : [{ table, slug: column.slug, fields, before: earlier, after: column }];
    }),
  };
}

function columnsByPlace<ColumnFields extends Fields<Column>>({
  tables,
  columns,
}: ConfigurationContent<ColumnFields>): ReadonlyMap<string, { readonly table: string; readonly column: ColumnFields }> {
  const slugById = new Map(tables.map(({ id, slug }) => [id, slug]));
  return new Map(
    columns.map((column) => {
      const table = slugById.get(column.tableId) ?? "";
      return [`${table} ${column.slug}`, { table, column }];
    }),
  );
}

/** Returns the value of a field; a message as a list of its fields, which does not depend on their order. */
function getValue(message: object | undefined, name: string): unknown {
  const value = (message as Readonly<Record<string, unknown>> | undefined)?.[name] ?? null;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const fields = Object.entries(value).filter(([field, content]) => !field.startsWith("$") && content !== undefined);
  return fields.sort(([one], [other]) => (one < other ? -1 : 1));
}

function isEqual(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
