import { create, fromJson } from "@bufbuild/protobuf";
import type { JsonValue } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import type { Value } from "@bufbuild/protobuf/wkt";
import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { AcceptedRowSchema, AcceptedTableSchema } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { AcceptedRow, AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import { resolveHeadings } from "./headings.ts";
import type { ResolvedHeadings } from "./headings.ts";
import { maxLineViolations } from "./import.ts";
import type { ImportEntry, ImportedColumn, ImportedContent, LineViolation } from "./import.ts";
import type { SeparatedRecord } from "./separated-values.ts";
import { maxCells, tooManyCells, validateTables } from "./values.ts";
import { nullValue } from "../values.ts";

/** The tables of an imported file, or the violations. */
export type TypedContent = { readonly tables: AcceptedTable[] } | { readonly violations: readonly LineViolation[] };

/** Creates the conversion of the entries of an import, which may have columns, to the types of a model's configuration. */
export function createTyping(
  configuration: Configuration,
  columns: readonly ImportedColumn[],
): (entry: ImportEntry) => TypedContent {
  const headings = resolveHeadings(columns, configuration);
  return ({ line, content }) => {
    const read =
      content.kind === "cells" ? fromCells(content.records, headings) : fromJsonContent(content, configuration);
    if (!Array.isArray(read)) return { violations: read.violations.map((violation) => ({ line, ...violation })) };
    const violations = validateTables(read, configuration).map((violation) => ({ line, ...violation }));
    return violations.length > 0 ? { violations } : { tables: read };
  };
}

type InvalidContent = { violations: { line?: number; field: string; message: string }[] };

function fromJsonContent(
  content: Exclude<ImportedContent, { kind: "cells" }>,
  configuration: Configuration,
): AcceptedTable[] | InvalidContent {
  if (content.kind === "values") {
    if (countKeys(content.values) > maxCells) return { violations: [{ field: "values", message: tooManyCells }] };
    const row = toAcceptedRow(content.values);
    if (row === undefined) return { violations: [{ field: "values", message: "must be an object" }] };
    return [create(AcceptedTableSchema, { slug: primarySlug(configuration), rows: [row] })];
  }
  const violations: InvalidContent["violations"] = [];
  if (!Array.isArray(content.tables)) return { violations: [{ field: "tables", message: "must be a list" }] };
  const tables: AcceptedTable[] = [];
  let count = 0;
  for (const [index, table] of content.tables.entries()) {
    const at = `tables[${index}]`;
    const { slug, rows, ...others } = isObject(table) ? table : {};
    if (typeof slug !== "string" || !Array.isArray(rows) || Object.keys(others).length > 0) {
      violations.push({ field: at, message: "must be an object with slug and rows" });
    } else {
      const read = create(AcceptedTableSchema, { slug });
      for (const [place, row] of rows.entries()) {
        const { values = null, ...more } = isObject(row) ? row : {};
        count += 1 + countKeys(values);
        if (count > maxCells) return { violations: [{ field: "tables", message: tooManyCells }] };
        const accepted = Object.keys(more).length > 0 ? undefined : toAcceptedRow(values);
        if (accepted !== undefined) read.rows.push(accepted);
        else violations.push({ field: `${at}.rows[${place}]`, message: "must be an object of values" });
        if (violations.length >= maxLineViolations) return { violations };
      }
      tables.push(read);
    }
    if (violations.length >= maxLineViolations) return { violations };
  }
  return violations.length > 0 ? { violations } : tables;
}

function countKeys(values: JsonValue): number {
  return isObject(values) ? Object.keys(values).length : 0;
}

function toAcceptedRow(values: JsonValue): AcceptedRow | undefined {
  if (!isObject(values)) return undefined;
  return create(AcceptedRowSchema, {
    values: ownRecord(Object.entries(values), toValue),
  });
}

/**
 * Converts a value of JSON. A list or an object becomes an empty list: no column has such values, so that all of them are reported alike, and
 * `fromJson` throws an error if one is nested more than 100 levels deep.
 */
function toValue(value: JsonValue): Value {
  return fromJson(ValueSchema, typeof value === "object" && value !== null ? [] : value);
}

/**
 * The primary row consists of the cells of all records of the file, which must not contradict each other. Each record with a cell of another
 * table is a row of that table. An empty cell is null: the document has no such value. Columns without a heading are not labeled, and a
 * table without a heading is left out.
 */
function fromCells(
  records: readonly SeparatedRecord[],
  { tables, unknown }: ResolvedHeadings,
): AcceptedTable[] | InvalidContent {
  const violations: InvalidContent["violations"] = [];
  const result: AcceptedTable[] = [];
  let count = 0;
  for (const { table, headed, labeled } of tables) {
    const toRow = (get: (slug: string) => Value | undefined): AcceptedRow => {
      const values = labeled.map((slug) => [slug, get(slug) ?? nullValue()] as const);
      return create(AcceptedRowSchema, { values: ownRecord(values, (value) => value) });
    };
    const rows: AcceptedRow[] = [];
    const primary = new Map<string, { text: string; value: Value }>();
    for (const { line, cells } of records) {
      const row = new Map<string, Value>();
      for (const { heading, index, column } of headed) {
        // The columns are in the order of the cells, so that a short record has no cells of the columns after this one either.
        if (index >= cells.length) break;
        const text = cells[index]?.trim() ?? "";
        const value = parseCell(text, column);
        if (value === undefined) continue;
        const before = primary.get(column.slug);
        if (table.isPrimary && before !== undefined && before.text !== text)
          violations.push({ line, field: heading, message: "differs from another line of the same file" });
        primary.set(column.slug, { text, value });
        row.set(column.slug, value);
      }
      if (violations.length >= maxLineViolations) return { violations };
      if (table.isPrimary || row.size === 0) continue;
      // A record of two cells becomes a row with a value for each heading of the table.
      count += 1 + labeled.length;
      if (count > maxCells) return { violations: [{ line, field: table.slug, message: tooManyCells }] };
      rows.push(toRow((slug) => row.get(slug)));
    }
    if (table.isPrimary) rows.push(toRow((slug) => primary.get(slug)?.value));
    result.push(create(AcceptedTableSchema, { slug: table.slug, rows }));
  }
  for (const field of unknown) violations.push({ field, message: "is not a column of the model" });
  return violations.length > 0 ? { violations } : result;
}

/**
 * Converts a cell to a value; undefined if it is empty. A text that does not have the column's type stays a text, which is then reported.
 */
function parseCell(text: string, column: Column): Value | undefined {
  if (text === "") return undefined;
  if (column.type === ColumnType.NUMBER && isNumber(text))
    return create(ValueSchema, { kind: { case: "numberValue", value: Number(text) } });
  if (column.type === ColumnType.BOOLEAN && /^(true|false)$/i.test(text))
    return create(ValueSchema, { kind: { case: "boolValue", value: text.toLowerCase() === "true" } });
  return create(ValueSchema, { kind: { case: "stringValue", value: text } });
}

/** Whether a text is a decimal number. Digits can match in one way only, so that the time is proportional to the length of the text. */
function isNumber(text: string): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text);
}

function primarySlug({ tables }: Configuration): string {
  return tables.find(({ isPrimary }) => isPrimary)?.slug ?? "";
}

function isObject(value: JsonValue): value is Record<string, JsonValue> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Creates an object whose keys are all own properties, including "__proto__". */
function ownRecord<From, To>(
  entries: readonly (readonly [string, From])[],
  toValue: (from: From) => To,
): Record<string, To> {
  return Object.fromEntries(entries.map(([key, value]) => [key, toValue(value)]));
}
