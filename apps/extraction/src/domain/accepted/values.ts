import { create, toBinary } from "@bufbuild/protobuf";
import type { Value } from "@bufbuild/protobuf/wkt";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Column, Configuration, Table } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedValuesSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { Violation } from "@switchyard/text";
import { maxStoredTableBytes } from "../values.ts";

/** The maximum number of faults reported for the values of one file. */
export const maxViolations = 100;

/** The maximum number of rows and values, together, of one file. */
export const maxCells = 200_000;
/** The message of a violation of `maxCells`. */
export const tooManyCells = `must have at most ${maxCells} rows and values for one file`;

/**
 * Validates accepted values. Violations name the path of the cell. Each table must belong to the configuration and occur once, the primary
 * table has at most one row, and each value must have the type of a column of its table. Null is valid in every column. All of them must fit
 * in a document of the database.
 */
export function validateTables(tables: readonly AcceptedTable[], configuration: Configuration): Violation[] {
  if (countCells(tables) > maxCells) return [{ field: "tables", message: tooManyCells }];
  const { length } = toBinary(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables: [...tables] }));
  if (length > maxStoredTableBytes) {
    return [{ field: "tables", message: `must have at most ${maxStoredTableBytes} bytes, but has ${length}` }];
  }
  const violations: Violation[] = [];
  const seen = new Set<string>();
  tables.forEach(({ slug, rows }, index) => {
    const at = `tables[${index}]`;
    const table = configuration.tables.find((candidate) => candidate.slug === slug);
    if (table === undefined) {
      violations.push({
        field: `${at}.slug`,
        message: `must be a table of the model: ${getSlugs(configuration.tables)}`,
      });
      return;
    }
    if (seen.has(slug)) violations.push({ field: `${at}.slug`, message: "is given more than once" });
    seen.add(slug);
    if (table.isPrimary && rows.length > 1)
      violations.push({
        field: `${at}.rows`,
        message: "must have at most one entry: this is the table of the document",
      });
    const columns = getColumns(table, configuration);
    rows.forEach((row, place) => {
      for (const [column, value] of Object.entries(row.values)) {
        if (violations.length >= maxViolations) return;
        const message = validateValue(value, columns.get(column));
        if (message !== undefined) violations.push({ field: `${at}.rows[${place}].values.${column}`, message });
      }
    });
  });
  return violations.slice(0, maxViolations);
}

function countCells(tables: readonly AcceptedTable[]): number {
  let count = 0;
  for (const { rows } of tables) for (const { values } of rows) count += 1 + Object.keys(values).length;
  return count;
}

/** Returns the columns of a table by slug. */
export function getColumns(table: Table, { columns }: Configuration): ReadonlyMap<string, Column> {
  return new Map(columns.filter(({ tableId }) => tableId === table.id).map((column) => [column.slug, column]));
}

/** Validates a value of a column. Returns undefined if it is valid. Null is; a message without any value, which JSON cannot express, is not. */
export function validateValue({ kind }: Value, column: Column | undefined): string | undefined {
  if (column === undefined) return "is not a column of this table";
  if (kind.case === undefined) return "is required; null says that there is none";
  if (kind.case === "nullValue") return undefined;
  const text = kind.case === "stringValue" ? kind.value : undefined;
  switch (column.type) {
    case ColumnType.NUMBER:
      return kind.case === "numberValue" && Number.isFinite(kind.value) ? undefined : "must be a number or null";
    case ColumnType.BOOLEAN:
      return kind.case === "boolValue" ? undefined : "must be true, false or null";
    case ColumnType.DATE:
      return text !== undefined && isDay(text) ? undefined : "must be a date in the form YYYY-MM-DD, or null";
    case ColumnType.ENUM:
      return text !== undefined && column.enumValues.includes(text)
        ? undefined
        : `must be one of ${column.enumValues.join(", ")}, or null`;
    default:
      if (text === undefined) return "must be a string or null";
      return text.isWellFormed() ? undefined : "must be well-formed text";
  }
}

/** Whether a text is a date of the calendar in the form YYYY-MM-DD. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** Lists the slugs of tables for a message. */
export function getSlugs(tables: readonly Table[]): string {
  return tables.map(({ slug }) => slug).join(", ");
}
