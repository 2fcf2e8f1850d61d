import type { Column, Configuration } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { ReviewReason } from "@switchyard/contracts/switchyard/extraction/internal/v1/review";
import type { ExtractedRow, ExtractedTable } from "@switchyard/contracts/switchyard/extraction/v1/extraction";
import { findContradictions } from "../contradictions.ts";
import { isPossible, mayGoUnseen } from "./thresholds.ts";
import type { ReviewThresholds } from "./thresholds.ts";

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
  /** Null if the cell has no value. */
  readonly confidence: number | null;
  /** Whether the column is required or a key. */
  readonly important: boolean;
  /** Whether a person has to look at the value. */
  readonly low: boolean;
}

/** Whether a person has to look at a value. */
type IsLow = (row: ExtractedRow, slug: string, confidence: number, important: boolean) => boolean;

/**
 * Decides whether a person should look at extracted values, and why: null if not. Values need review if some contradict each other, or if a
 * required or key column is missing in a row or its confidence is below `minimumConfidence`. If several reasons apply, the first of these
 * is returned. Columns that are excluded from extraction do not count. Never throws.
 *
 * If `thresholds` let some values go unseen, they decide instead of `minimumConfidence`: a value of any column that may not go unseen needs
 * review, and contradictions do not if all of their values may go unseen. What is missing needs review as without thresholds.
 */
export function findReview(
  tables: readonly ExtractedTable[],
  configuration: Configuration,
  thresholds: ReviewThresholds | null = null,
): Review | null {
  const policy = thresholds !== null && isPossible(thresholds) ? thresholds : null;
  const isLow: IsLow = (row, slug, confidence, important) =>
    policy === null ? important && confidence < minimumConfidence : !mayGoUnseen(row, slug, confidence, policy);
  const all = findContradictions(configuration, tables);
  const contradictions = policy === null ? all : all.filter(({ columns }) => !goUnseen(tables, columns, policy));
  const [first] = contradictions;
  if (first !== undefined) {
    const columns = new Set(contradictions.flatMap((each) => each.columns));
    const confidence = getLowest(getConfidences(tables, columns));
    return { reason: ReviewReason.CONTRADICTION, message: first.message, confidence, urgency: 1 };
  }
  const cells = tables.flatMap((table) => getCells(table, configuration, isLow));
  const missing = cells.filter(({ confidence, important }) => important && confidence === null);
  if (missing.length > 0) {
    const message = `No value for ${listColumns(missing)}.`;
    return { reason: ReviewReason.MISSING_VALUE, message, confidence: null, urgency: 1 };
  }
  const low = cells.filter((cell) => cell.low);
  const lowest = getLowest(low.map(({ confidence }) => confidence ?? 0));
  if (lowest === null) return null;
  const message = `Low confidence in ${listColumns(low)}.`;
  return { reason: ReviewReason.LOW_CONFIDENCE, message, confidence: lowest, urgency: 1 - lowest };
}

/** Returns the cells of a table, with a confidence of null if they have no value. */
function getCells({ slug, rows }: ExtractedTable, { tables, columns }: Configuration, isLow: IsLow): Cell[] {
  const table = tables.find((each) => each.slug === slug);
  const own = columns.filter(({ tableId, excludedFromExtraction }) => tableId === table?.id && !excludedFromExtraction);
  return rows.flatMap((row) =>
    own.map((column) => {
      const important = column.required || column.isKey;
      const confidence = getConfidence(row, column.slug);
      return {
        column,
        confidence,
        important,
        low: confidence !== null && isLow(row, column.slug, confidence, important),
      };
    }),
  );
}

/** Whether nobody has to look at any value of columns, which are named as `<table>.<column>`, and there is one. */
function goUnseen(tables: readonly ExtractedTable[], columns: readonly string[], policy: ReviewThresholds): boolean {
  const unseen = tables.flatMap(({ slug: table, rows }) =>
    rows.flatMap((row) =>
      Object.keys(row.values).flatMap((slug) => {
        const confidence = columns.includes(`${table}.${slug}`) ? getConfidence(row, slug) : null;
        return confidence === null ? [] : [mayGoUnseen(row, slug, confidence, policy)];
      }),
    ),
  );
  return unseen.length > 0 && unseen.every(Boolean);
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
