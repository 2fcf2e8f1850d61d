import { clone, create } from "@bufbuild/protobuf";
import type { Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import {
  AcceptedRowSchema,
  AcceptedTableSchema,
  AcceptedValuesSchema,
} from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedTable, Correction } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { isEqualValue, toScalar } from "@switchyard/matching";
import type { Violation } from "@switchyard/text";
import { getColumns, getSlugs, maxViolations, validateValue } from "./values.ts";

/** The maximum number of corrections of a request. */
export const maxCorrections = 10_000;

/** Validates corrections without a configuration: each names a cell and has a value, and no two name the same cell. */
export function validateShape(corrections: readonly Correction[]): Violation[] {
  if (corrections.length > maxCorrections)
    return [{ field: "corrections", message: `must have at most ${maxCorrections} entries` }];
  const violations: Violation[] = [];
  const seen = new Map<string, number>();
  corrections.forEach(({ table, row, column, value }, index) => {
    const at = `corrections[${index}]`;
    if (table === "") violations.push({ field: `${at}.table`, message: "is required" });
    if (row === undefined) violations.push({ field: `${at}.row`, message: "is required" });
    if (row !== undefined && row < 0) violations.push({ field: `${at}.row`, message: "must be at least 0" });
    if (column === "") violations.push({ field: `${at}.column`, message: "is required" });
    if (value?.kind.case === undefined)
      violations.push({ field: `${at}.value`, message: "is required; null says that there is none" });
    const cell = JSON.stringify([table, row, column]);
    const first = seen.get(cell);
    if (first === undefined) seen.set(cell, index);
    else violations.push({ field: at, message: `is the same cell as corrections[${first}]` });
  });
  return violations.slice(0, maxViolations);
}

/** Validates that corrections name columns of a configuration, and that their values have the types of these. */
export function validateCells(corrections: readonly Correction[], configuration: Configuration): Violation[] {
  const tables = new Map(
    configuration.tables.map((table) => [table.slug, { table, columns: getColumns(table, configuration) }]),
  );
  const violations = corrections.flatMap(({ table: slug, row = 0, column, value }, index): Violation[] => {
    const at = `corrections[${index}]`;
    const named = tables.get(slug);
    if (named === undefined)
      return [{ field: `${at}.table`, message: `must be a table of the model: ${getSlugs(configuration.tables)}` }];
    if (named.table.isPrimary && row > 0)
      return [{ field: `${at}.row`, message: "must be 0: the table of the document has one row" }];
    const definition = named.columns.get(column);
    if (definition === undefined) return [{ field: `${at}.column`, message: "is not a column of this table" }];
    const message = value === undefined ? undefined : validateValue(value, definition);
    return message === undefined ? [] : [{ field: `${at}.value`, message }];
  });
  return violations.slice(0, maxViolations);
}

/**
 * Counts the corrections that change a value: those whose value does not match that of the extraction by the matching of its column, as in
 * benchmarks. A cell of a row that is added had no value.
 */
export function countCorrections(
  tables: readonly AcceptedTable[],
  corrections: readonly Correction[],
  configuration: Configuration,
): number {
  const rows = new Map(tables.map(({ slug, rows: all }) => [slug, all]));
  const columns = new Map(configuration.tables.map((table) => [table.slug, getColumns(table, configuration)]));
  return corrections.filter(({ table, row = 0, column: slug, value }) => {
    const column = columns.get(table)?.get(slug);
    const before = rows.get(table)?.[row]?.values[slug];
    if (column === undefined || value === undefined) return false;
    return !isEqualValue(column, before && toScalar(before), toScalar(value));
  }).length;
}

/**
 * Applies valid corrections to the tables of an extraction, in their order. A row one past the end of its table is added; its other columns
 * are not labeled. Returns the violations instead if a row is farther beyond the end.
 */
export function applyCorrections(
  tables: readonly AcceptedTable[],
  corrections: readonly Correction[],
): { tables: AcceptedTable[] } | { violations: Violation[] } {
  const corrected = clone(AcceptedValuesSchema, create(AcceptedValuesSchema, { tables: [...tables] })).tables;
  const bySlug = new Map(corrected.map((table) => [table.slug, table]));
  const violations: Violation[] = [];
  corrections.forEach(({ table: slug, row: place = 0, column, value }, index) => {
    if (value === undefined) return;
    const table = bySlug.get(slug) ?? create(AcceptedTableSchema, { slug });
    if (!bySlug.has(slug)) corrected.push(table);
    bySlug.set(slug, table);
    const row = table.rows[place] ?? create(AcceptedRowSchema);
    if (place === table.rows.length) table.rows.push(row);
    if (place >= table.rows.length) {
      const message = `must be at most ${table.rows.length}, which adds a row`;
      violations.push({ field: `corrections[${index}].row`, message });
      return;
    }
    row.values[column] = value;
  });
  return violations.length > 0 ? { violations: violations.slice(0, maxViolations) } : { tables: corrected };
}
