import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ReviewReason } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import type { ExtractedRow, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { findContradictions } from "../contradictions.ts";

/** Why a person should look at an extraction. */
export interface Review {
  readonly reason: ReviewReason;
  /** An explanation for people, which names the columns. */
  readonly message: string;
  /** The lowest confidence among the values that the reason is about; null if these have none. */
  readonly confidence: number | null;
  /** The estimated probability that a value is wrong or missing: 1 for a contradiction or a missing value. */
  readonly urgency: number;
}

/**
 * The confidence below which the value of a required or key column needs review. The engine's confidence is close to the proportion of
 * values that are right, so about two of five such values are wrong. Cells of a recognized row of a table have at least this confidence.
 */
export const minimumConfidence = 0.6;

/** The maximum number of columns that a message names. */
const maxNamed = 5;

interface Cell {
  readonly column: Column;
  readonly confidence: number | null;
}

/**
 * Decides whether a person should look at extracted values, and why: null if not. Values need review if some contradict each other, or if a
 * required or key column is missing in a row or its confidence is below `minimumConfidence`. If several reasons apply, the first of these
 * is returned. Columns that are excluded from extraction do not count. Never throws.
 */
export function findReview(tables: readonly ExtractedTable[], configuration: Configuration): Review | null {
  const contradictions = findContradictions(configuration, tables);
  const [first] = contradictions;
  if (first !== undefined) {
    const columns = new Set(contradictions.flatMap((each) => each.columns));
    const confidence = getLowest(getConfidences(tables, columns));
    return { reason: ReviewReason.CONTRADICTION, message: first.message, confidence, urgency: 1 };
  }
  const cells = tables.flatMap((table) => getImportantCells(table, configuration));
  const missing = cells.filter(({ confidence }) => confidence === null);
  if (missing.length > 0) {
    const message = `No value for ${listColumns(missing)}.`;
    return { reason: ReviewReason.MISSING_VALUE, message, confidence: null, urgency: 1 };
  }
  const low = cells.filter(({ confidence }) => (confidence ?? 0) < minimumConfidence);
  const lowest = getLowest(low.map(({ confidence }) => confidence ?? 0));
  if (lowest === null) return null;
  const message = `Low confidence in ${listColumns(low)}.`;
  return { reason: ReviewReason.LOW_CONFIDENCE, message, confidence: lowest, urgency: 1 - lowest };
}

/** Returns the cells of the required and key columns of a table, with a confidence of null if they have no value. */
function getImportantCells({ slug, rows }: ExtractedTable, { tables, columns }: Configuration): Cell[] {
  const table = tables.find((each) => each.slug === slug);
  const important = columns.filter(
    (column) => column.tableId === table?.id && (column.required || column.isKey) && !column.excludedFromExtraction,
  );
  return rows.flatMap((row) => important.map((column) => ({ column, confidence: getConfidence(row, column.slug) })));
}

/** Returns the confidence of a cell, which is 1 if the engine states none, and null if the cell has no value. */
function getConfidence(row: ExtractedRow, slug: string): number | null {
  const kind = Object.hasOwn(row.values, slug) ? row.values[slug]?.kind : undefined;
  if (kind?.case === undefined || kind.case === "nullValue") return null;
  return Object.hasOwn(row.confidence, slug) ? (row.confidence[slug] ?? 1) : 1;
}

/** Returns the confidences of the values of columns, which are named as `<table>.<column>`. */
function getConfidences(tables: readonly ExtractedTable[], columns: ReadonlySet<string>): number[] {
  return tables.flatMap(({ slug: table, rows }) =>
    rows.flatMap((row) =>
      Object.keys(row.values).flatMap((slug) => {
        const confidence = columns.has(`${table}.${slug}`) ? getConfidence(row, slug) : null;
        return confidence === null ? [] : [confidence];
      }),
    ),
  );
}

function getLowest(confidences: readonly number[]): number | null {
  if (confidences.length === 0) return null;
  return confidences.reduce((lowest, confidence) => Math.min(lowest, confidence));
}

function listColumns(cells: readonly Cell[]): string {
  const names = [...new Set(cells.map(({ column }) => column.name))];
  const others = names.length - maxNamed;
  return names.slice(0, maxNamed).join(", ") + (others > 0 ? ` and ${others} more columns` : "");
}
