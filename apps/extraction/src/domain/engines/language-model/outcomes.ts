import { isEqualValue, toScalar, type Scalar } from "@switchyard/matching";
import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { ExtractedRow, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getAskedTables } from "./question/answer-schema.ts";
import type { CellOutcome } from "./calibration.ts";

type AcceptedRow = AcceptedTable["rows"][number];

/**
 * Compares the values of an extraction with the accepted ones of its file, by the matching of each column. Cells without an extracted value and
 * columns that are not labelled have no outcome. A value of a table with many rows is right if some row has it, each row counting once.
 */
export function findOutcomes(
  extracted: readonly ExtractedTable[],
  accepted: readonly AcceptedTable[],
  configuration: Configuration,
): CellOutcome[] {
  return getAskedTables(configuration).flatMap(({ table, columns }) => {
    const given = extracted.find(({ slug }) => slug === table.slug)?.rows ?? [];
    const labelled = accepted.find(({ slug }) => slug === table.slug)?.rows;
    if (labelled === undefined) return [];
    return columns.flatMap((column) => compareColumn(`${table.slug}.${column.slug}`, column, given, labelled));
  });
}

function compareColumn(
  name: string,
  column: Column,
  extracted: readonly ExtractedRow[],
  accepted: readonly AcceptedRow[],
): CellOutcome[] {
  const { slug } = column;
  const left = accepted.flatMap(({ values }) => (Object.hasOwn(values, slug) ? [getScalar(values, slug)] : []));
  if (left.length === 0 && accepted.length > 0) return [];
  return extracted.flatMap(({ values, evidence }) => {
    const value = getScalar(values, slug);
    if (value === null) return [];
    const match = left.findIndex((label) => label !== null && isEqualValue(column, label, value));
    if (match >= 0) left.splice(match, 1);
    return [{ column: name, found: Object.hasOwn(evidence, slug), right: match >= 0 }];
  });
}

function getScalar(values: ExtractedRow["values"], slug: string): Scalar {
  const value = Object.hasOwn(values, slug) ? values[slug] : undefined;
  return value === undefined ? null : toScalar(value);
}
