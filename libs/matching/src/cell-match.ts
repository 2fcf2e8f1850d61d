import { ColumnType, MatchingKind } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { findDates, foldName } from "@switchyard/text";
import type { DayOrder } from "@switchyard/text";
import { getTolerance } from "./column-matching.ts";
import type { ComparedColumn, Tolerance } from "./column-matching.ts";
import { computeSimilarity, prepareText } from "./edit-distance.ts";
import type { PreparedText } from "./edit-distance.ts";
import { isEmpty } from "./scalar.ts";
import type { Scalar } from "./scalar.ts";
import { foldText, isSameIdentifier, keepLettersAndDigits } from "./text-match.ts";
import { parseNumber } from "./written-number.ts";

/** A value that is prepared for comparison with other values of its column. */
export interface PreparedValue {
  readonly value: Scalar;
  /** The text for strict comparison. */
  readonly strict: string;
  /** Values with the same canonical text match as typed. Others may match as typed, too. */
  readonly canonical: string;
  readonly number: number | undefined;
  /** The day that a text means if the day comes first, and if the month does. Undefined unless texts are compared as dates. */
  readonly days: readonly (string | undefined)[] | undefined;
  /** The text for the computation of similarity. */
  readonly text: PreparedText;
}

/** The closest match of two cells. A match of one kind is also a match of the following kinds. */
export type Closeness = "strict" | "typed" | "soft" | "none";

/** The result of the comparison of two cells. */
export interface CellMatch {
  readonly closeness: Closeness;
  /** The similarity from 0 to 1. It is 1 for a strict or typed match. */
  readonly similarity: number;
}

const dayOrders: readonly DayOrder[] = ["day-first", "month-first"];

/** Prepares a value for comparison. Returns null if it is empty. */
export function prepareValue(column: ComparedColumn, value: Scalar | undefined): PreparedValue | null {
  if (isEmpty(value)) return null;
  const strict = String(value).normalize("NFC").trim();
  const number = getTolerance(column) === undefined ? undefined : toNumber(value);
  return {
    value,
    strict,
    number,
    canonical: number === undefined ? toCanonicalText(column, strict) : String(number),
    days: isDateText(column) ? dayOrders.map((order) => findDay(strict, order)) : undefined,
    text: prepareText(strict),
  };
}

/**
 * Compares two values of a column. Strict: the same characters, after normalization and trimming. Typed: equal by the matching of the
 * column; without one, the same number, day, boolean, enum value or text. Soft: a similarity of at least one half by
 * {@link computeSimilarity}, but never for enum values and booleans.
 */
export function matchCells(column: ComparedColumn, expected: PreparedValue, actual: PreparedValue): CellMatch {
  if (expected.strict === actual.strict) return { closeness: "strict", similarity: 1 };
  if (isSameTyped(column, expected, actual)) return { closeness: "typed", similarity: 1 };
  const graded = column.type !== ColumnType.BOOLEAN && column.type !== ColumnType.ENUM;
  const similarity = graded ? computeSimilarity(expected.text, actual.text) : 0;
  if (isWithinEdits(column, expected, actual, similarity)) return { closeness: "typed", similarity: 1 };
  return { closeness: similarity > 0 ? "soft" : "none", similarity };
}

/**
 * Whether two values of a column are equal by its matching: a strict or typed match of {@link matchCells}, or both empty. This is when an
 * extracted value is correct, and when a value that replaces it is not a correction.
 */
export function isEqualValue(
  column: ComparedColumn,
  expected: Scalar | undefined,
  actual: Scalar | undefined,
): boolean {
  const [one, other] = [prepareValue(column, expected), prepareValue(column, actual)];
  return one === null || other === null ? one === other : isEqualPrepared(column, one, other);
}

/** Whether two values that are prepared are equal, as {@link isEqualValue} says. Their similarity is computed only if it matters for that. */
export function isEqualPrepared(column: ComparedColumn, one: PreparedValue, other: PreparedValue): boolean {
  if (one.strict === other.strict || isSameTyped(column, one, other)) return true;
  return column.matching?.kind === MatchingKind.EDITS && matchCells(column, one, other).closeness === "typed";
}

function isSameTyped(column: ComparedColumn, one: PreparedValue, other: PreparedValue): boolean {
  if (one.canonical === other.canonical) return true;
  const tolerance = getTolerance(column);
  if (tolerance !== undefined && one.number !== undefined && other.number !== undefined)
    return isSameNumber(tolerance, one.number, other.number);
  if (column.type !== ColumnType.TEXT || column.characters !== undefined) return false;
  switch (column.matching?.kind ?? MatchingKind.UNSPECIFIED) {
    case MatchingKind.EXACT:
    case MatchingKind.CASE_INSENSITIVE:
      return false;
    case MatchingKind.DATE:
      return isSameDay(one, other) || isSameIdentifier(one.strict, other.strict);
    default:
      return isSameIdentifier(one.strict, other.strict);
  }
}

function isSameNumber({ absolute, relative }: Tolerance, one: number, other: number): boolean {
  const largest = Math.max(Math.abs(one), Math.abs(other));
  const smallest = Math.min(Math.abs(one), Math.abs(other));
  const allowed = Math.max(absolute, relative * smallest);
  // Decimal fractions are rounded, so that 10.01 less 10.005 is more than 0.005. Whole numbers are not, however long they are.
  const isWhole = Number.isInteger(one) && Number.isInteger(other);
  const rounding = 2 * Number.EPSILON * (isWhole ? allowed : largest);
  return Math.abs(one - other) <= allowed + rounding;
}

/** Whether each text contains one date, and both are the same day if day and month have the same order in both. */
function isSameDay(one: PreparedValue, other: PreparedValue): boolean {
  return one.days?.some((day, index) => day !== undefined && day === other.days?.[index]) ?? false;
}

function isDateText({ type, matching }: ComparedColumn): boolean {
  return type === ColumnType.TEXT && matching?.kind === MatchingKind.DATE;
}

function findDay(text: string, order: DayOrder): string | undefined {
  const [date, ...others] = findDates(text, order);
  return others.length === 0 ? date?.value : undefined;
}

/** Whether two texts differ by no more characters than the column allows. A similarity of 0 means that more than half of them differ. */
function isWithinEdits({ matching }: ComparedColumn, one: PreparedValue, other: PreparedValue, similarity: number) {
  if (matching?.kind !== MatchingKind.EDITS || similarity === 0) return false;
  const longest = Math.max(one.text.points.length, other.text.points.length);
  return Math.round((1 - similarity) * longest) <= (matching.maxEdits ?? 0);
}

function toNumber(value: string | number | boolean): number | undefined {
  return typeof value === "number" ? value : parseNumber(String(value));
}

function toCanonicalText(column: ComparedColumn, strict: string): string {
  if (column.matching?.kind === MatchingKind.EXACT) return strict;
  if (column.matching?.kind === MatchingKind.CASE_INSENSITIVE) return foldName(strict);
  if (column.characters === "digits") return strict.replace(/\D/gu, "") || foldText(strict);
  if (column.characters === "letters and digits") return keepLettersAndDigits(strict) || foldText(strict);
  if (column.type === ColumnType.DATE) return /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/u.exec(strict)?.[1] ?? foldText(strict);
  return foldText(strict);
}
