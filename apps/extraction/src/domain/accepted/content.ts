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
import type { ImportEntry, ImportedColumn, ImportedContent, LineViolation } from "./import.ts";
import type { SeparatedRecord } from "./separated-values.ts";
import { validateTables } from "./values.ts";
import { nullValue } from "../values.ts";

/** The tables of an imported file, or the violations. */
export type TypedContent = { readonly tables: AcceptedTable[] } | { readonly violations: readonly LineViolation[] };

/**
 * Creates the conversion of entries to the types of a model's configuration. The headings of separated values are resolved only once, because
 * there may be many of them, and all entries of an import have the same.
 */
export function createTyping(configuration: Configuration): (entry: ImportEntry) => TypedContent {
  let last: { columns: readonly ImportedColumn[]; headings: ResolvedHeadings } | undefined;
  const getHeadings = (columns: readonly ImportedColumn[]): ResolvedHeadings => {
    if (last?.columns !== columns) last = { columns, headings: resolveHeadings(columns, configuration) };
    return last.headings;
  };
  return ({ line, content }) => {
    const read =
      content.kind === "cells"
        ? fromCells(content.records, getHeadings(content.columns))
        : fromJsonContent(content, configuration);
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
    const row = toAcceptedRow(content.values);
    if (row === undefined) return { violations: [{ field: "values", message: "must be an object" }] };
    return [create(AcceptedTableSchema, { slug: primarySlug(configuration), rows: [row] })];
  }
  const violations: InvalidContent["violations"] = [];
  if (!Array.isArray(content.tables)) return { violations: [{ field: "tables", message: "must be a list" }] };
  const tables = content.tables.flatMap((table, index) => {
    const at = `tables[${index}]`;
    const { slug, rows, ...others } = isObject(table) ? table : {};
    if (typeof slug !== "string" || !Array.isArray(rows) || Object.keys(others).length > 0) {
      violations.push({ field: at, message: "must be an object with slug and rows" });
      return [];
    }
    const read = rows.map((row, place) => {
      const { values = null, ...more } = isObject(row) ? row : {};
      const read = Object.keys(more).length > 0 ? undefined : toAcceptedRow(values);
      if (read === undefined)
        violations.push({ field: `${at}.rows[${place}]`, message: "must be an object of values" });
      return read ?? create(AcceptedRowSchema);
    });
    return [create(AcceptedTableSchema, { slug, rows: read })];
  });
  return violations.length > 0 ? { violations } : tables;
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
 * table is a row of that table. An empty cell is null: the document has no such value. Columns without a heading are not labelled, and a
 * table without a heading is left out.
 */
function fromCells(
  records: readonly SeparatedRecord[],
  { tables, unknown }: ResolvedHeadings,
): AcceptedTable[] | InvalidContent {
  const violations: InvalidContent["violations"] = [];
  const result = tables.map(({ table, headed, labelled }) => {
    const toRow = (get: (slug: string) => Value | undefined): AcceptedRow => {
      const values = labelled.map((slug) => [slug, get(slug) ?? nullValue()] as const);
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
      if (!table.isPrimary && row.size > 0) rows.push(toRow((slug) => row.get(slug)));
    }
    if (table.isPrimary) rows.push(toRow((slug) => primary.get(slug)?.value));
    return create(AcceptedTableSchema, { slug: table.slug, rows });
  });
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
