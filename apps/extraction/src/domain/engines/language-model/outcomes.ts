import { isEqualPrepared, prepareValue, toScalar, type PreparedValue, type Scalar } from "@switchyard/matching";
import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import type { AcceptedTable } from "@switchyard/contracts/switchyard/extraction/v1/accepted";
import type { ExtractedRow, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { getAskedTables } from "./question/answer-schema.ts";
import type { CellOutcome } from "./calibration.ts";

type AcceptedRow = AcceptedTable["rows"][number];

/**
 * Compares the values of an extraction with the accepted ones of its file, by the matching of each column. Cells without an extracted value and
 * columns that are not labeled have no outcome. A value of a table with many rows is right if some row has it, each row counting once.
 */
export function findOutcomes(
  extracted: readonly ExtractedTable[],
  accepted: readonly AcceptedTable[],
  configuration: Configuration,
): CellOutcome[] {
  return getAskedTables(configuration).flatMap(({ table, columns }) => {
    const given = extracted.find(({ slug }) => slug === table.slug)?.rows ?? [];
    const labeled = accepted.find(({ slug }) => slug === table.slug)?.rows;
    if (labeled === undefined) return [];
    return columns.flatMap((column) => compareColumn(`${table.slug}.${column.slug}`, column, given, labeled));
  });
}

function compareColumn(
  name: string,
  column: Column,
  extracted: readonly ExtractedRow[],
  accepted: readonly AcceptedRow[],
): CellOutcome[] {
  const { slug } = column;
  const labeled = accepted.filter(({ values }) => Object.hasOwn(values, slug));
  if (labeled.length === 0 && accepted.length > 0) return [];
  const take = createLabels(
    column,
    labeled.map(({ values }) => getScalar(values, slug)),
  );
  return extracted.flatMap(({ values, evidence }) => {
    const value = prepareValue(column, getScalar(values, slug));
    return value === null ? [] : [{ column: name, found: Object.hasOwn(evidence, slug), right: take(value) }];
  });
}

/**
 * Returns the function that takes the accepted value that a value equals, and returns whether there was one: one with the same canonical text, or
 * else the first one that is equal by the matching of the column. Most values of long tables are found without comparing them with all others.
 */
function createLabels(column: Column, labels: readonly Scalar[]): (value: PreparedValue) => boolean {
  const left = new Set(labels.flatMap((label) => prepareValue(column, label) ?? []));
  const same = new Map<string, PreparedValue[]>();
  for (const label of left) {
    const known = same.get(label.canonical);
    if (known === undefined) same.set(label.canonical, [label]);
    else known.push(label);
  }
  const takeEqual = (value: PreparedValue): boolean => {
    for (const label of left)
      if (isEqualPrepared(column, label, value)) {
        same.set(
          label.canonical,
          (same.get(label.canonical) ?? []).filter((other) => other !== label),
        );
        return left.delete(label);
      }
    return false;
  };
  return (value) => {
    const label = same.get(value.canonical)?.pop();
    return label === undefined ? takeEqual(value) : left.delete(label);
  };
}

function getScalar(values: ExtractedRow["values"], slug: string): Scalar {
  const value = Object.hasOwn(values, slug) ? values[slug] : undefined;
  return value === undefined ? null : toScalar(value);
}
