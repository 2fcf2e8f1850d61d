import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { ColumnInput, TableInput } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Violation } from "@switchyard/text";
import { characterCount } from "@switchyard/text";
import { validateMatching } from "./column-matching.ts";
import { getTable } from "./schema-content.ts";
import type { Fields, SchemaInput } from "./schema-content.ts";

const slugPattern = /^[a-z][a-z0-9_]{0,62}$/;
const slugRule = "must be 1 to 63 lower-case letters, digits and underscores, beginning with a letter";

/** The limits of a configuration. Lengths of texts are in characters. `total` keeps a schema far below the 16 MB of a stored document. */
export const schemaBounds = {
  tables: 50,
  columns: 500,
  instructions: 10_000,
  description: 2_000,
  name: 120,
  enumValues: 200,
  enumValue: 200,
  synonyms: 50,
  total: 1_000_000,
} as const;

/**
 * Validates the input of a schema. Returns the violations in the order of the fields, each with its JSON path ("columns[3].slug"). An input
 * without tables and columns is valid unless `tablesNeeded` is set. The settings are validated separately (see `validateSettings`).
 */
export function validateSchema(input: SchemaInput, tablesNeeded: boolean): Violation[] {
  const { tables, columns } = input;
  const tooMany = [
    ...validateCount("tables", tables, schemaBounds.tables),
    ...validateCount("columns", columns, schemaBounds.columns),
  ];
  // Validating each entry of an oversized request would take time that is quadratic in its size.
  if (tooMany.length > 0) return tooMany;
  return [
    ...validateText("instructions", input.instructions, schemaBounds.instructions),
    ...tables.flatMap((table, index) => validateTable(`tables[${index}]`, table, tables.slice(0, index))),
    ...validatePrimary(input, tablesNeeded),
    ...columns.flatMap((column, index) => validateColumn(`columns[${index}]`, column, input)),
    ...findRepeatedColumn(input),
    ...validateTotalLength(input),
  ];
}

/**
 * Returns the violations of an input whose columns the request did not contain. Violations of these columns are attributed to the tables.
 */
export function attributeToTables(violations: readonly Violation[]): Violation[] {
  return violations.map((violation) =>
    violation.field.startsWith("columns[")
      ? { field: "tables", message: `does not match the existing columns: ${violation.field} ${violation.message}` }
      : violation,
  );
}

function validateTable(path: string, table: Fields<TableInput>, before: readonly Fields<TableInput>[]): Violation[] {
  return [
    ...validateSlug(`${path}.slug`, table.slug),
    ...(table.slug !== "" && before.some(({ slug }) => slug === table.slug)
      ? [{ field: `${path}.slug`, message: "is the slug of another table" }]
      : []),
    ...validateText(`${path}.name`, table.name.trim(), schemaBounds.name),
    ...validateText(`${path}.instructions`, table.instructions, schemaBounds.instructions),
  ];
}

function validatePrimary({ tables, columns }: SchemaInput, tablesNeeded: boolean): Violation[] {
  if (tables.length === 0) {
    return columns.length > 0 || tablesNeeded ? [{ field: "tables", message: "must have a primary table" }] : [];
  }
  const primary = tables.flatMap((table, index) => ((table.isPrimary ?? tables.length === 1) ? [index] : []));
  if (primary.length === 0) return [{ field: "tables", message: "must have a primary table" }];
  return primary
    .slice(1)
    .map((index) => ({ field: `tables[${index}].isPrimary`, message: "is true for another table as well" }));
}

function validateColumn(path: string, column: Fields<ColumnInput>, { tables }: SchemaInput): Violation[] {
  return [
    ...validateTableReference(`${path}.table`, column, tables),
    ...validateSlug(`${path}.slug`, column.slug),
    ...(column.sharedId === undefined ? [] : validateNonBlank(`${path}.sharedId`, column.sharedId, schemaBounds.name)),
    ...validateText(`${path}.name`, column.name.trim(), schemaBounds.name),
    ...(isColumnType(column.type) ? [] : [{ field: `${path}.type`, message: "is not a column type" }]),
    ...validateText(`${path}.description`, column.description, schemaBounds.description),
    ...validateEnum(`${path}.enumValues`, column),
    ...validateCount(`${path}.synonyms`, column.synonyms, schemaBounds.synonyms),
    ...column.synonyms.flatMap((synonym, index) =>
      validateNonBlank(`${path}.synonyms[${index}]`, synonym, schemaBounds.name),
    ),
    ...validateMatching(`${path}.matching`, column),
  ];
}

function validateTableReference(
  field: string,
  column: Fields<ColumnInput>,
  tables: readonly Fields<TableInput>[],
): Violation[] {
  const slug = getTable(column, tables);
  if (slug === "") return [{ field, message: "is required unless there is exactly one table" }];
  return tables.some((table) => table.slug === slug)
    ? []
    : [{ field, message: "is not a table of this configuration" }];
}

function findRepeatedColumn({ columns, tables }: SchemaInput): Violation[] {
  const seen = new Set<string>();
  return columns.flatMap((column, index) => {
    const key = `${getTable(column, tables)} ${column.slug}`;
    const repeated = column.slug !== "" && seen.has(key);
    seen.add(key);
    return repeated ? [{ field: `columns[${index}].slug`, message: "is the slug of another column of the table" }] : [];
  });
}

function validateEnum(field: string, { type, enumValues }: Fields<ColumnInput>): Violation[] {
  if (type !== ColumnType.ENUM) {
    return enumValues.length === 0 ? [] : [{ field, message: "is only for a column of type ENUM" }];
  }
  if (enumValues.length === 0) return [{ field, message: "is required for a column of type ENUM" }];
  const tooMany = validateCount(field, enumValues, schemaBounds.enumValues);
  if (tooMany.length > 0) return tooMany;
  return enumValues.flatMap((value, index) => [
    ...validateNonBlank(`${field}[${index}]`, value, schemaBounds.enumValue),
    ...(enumValues.indexOf(value) < index ? [{ field: `${field}[${index}]`, message: "is a duplicate" }] : []),
  ]);
}

function validateTotalLength({ tables, columns }: SchemaInput): Violation[] {
  const texts = [
    ...tables.flatMap((table) => [table.slug, table.name, table.instructions]),
    ...columns.flatMap((column) => [column.slug, column.name, column.description]),
    ...columns.flatMap((column) => [...column.enumValues, ...column.synonyms]),
  ];
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= schemaBounds.total) return [];
  return [
    { field: "columns", message: `has too much text: ${total} characters instead of at most ${schemaBounds.total}` },
  ];
}

function validateSlug(field: string, slug: string): Violation[] {
  if (slug === "") return [{ field, message: "is required" }];
  return slugPattern.test(slug) ? [] : [{ field, message: slugRule }];
}

function validateNonBlank(field: string, text: string, maxLength: number): Violation[] {
  return text.trim() === "" ? [{ field, message: "must not be blank" }] : validateText(field, text, maxLength);
}

function validateText(field: string, text: string, maxLength: number): Violation[] {
  return characterCount(text) <= maxLength ? [] : [{ field, message: `must have at most ${maxLength} characters` }];
}

function validateCount(field: string, list: readonly unknown[], most: number): Violation[] {
  return list.length <= most ? [] : [{ field, message: `must have at most ${most} entries` }];
}

function isColumnType(type: ColumnType): boolean {
  return Object.values<ColumnType>(ColumnType).includes(type);
}
