import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { isEmpty } from "./cell-value.ts";
import type { Scalar } from "./cell-value.ts";
import { comparedText, likeness } from "./edit-distance.ts";
import type { ComparedText } from "./edit-distance.ts";
import { foldedText, lettersAndDigits, sameIdentifier } from "./text-match.ts";
import { writtenNumber } from "./written-number.ts";

/** How a column's values are compared, beyond its type. */
export interface Comparison {
  /** By how much numbers may differ; 0.005 when absent. */
  readonly tolerance?: number | undefined;
  /** By which share of the smaller one numbers may differ, where that is more; 0 when absent. */
  readonly relativeTolerance?: number | undefined;
  /** Which characters of a text count; where absent, all of them, and letters and digits of what looks like an identifier. */
  readonly characters?: "letters and digits" | "digits" | undefined;
}

/** What of a column decides how its cells compare. */
export interface ComparedColumn extends Comparison {
  readonly type: ColumnType;
}

/** A value that is prepared to be compared with many others of its column. */
export interface PreparedValue {
  readonly value: Scalar;
  /** As strict comparison sees it. */
  readonly strict: string;
  /** Values that share it match as typed; some that do not share it do as well. */
  readonly canonical: string;
  readonly number: number | undefined;
  /** As similarity sees it. */
  readonly text: ComparedText;
}

/** The closest way in which two cells match. Each is one of the next as well. */
export type Closeness = "strict" | "typed" | "soft" | "none";

/** How two cells of a column compare. */
export interface CellMatch {
  readonly closeness: Closeness;
  /** From 0 to 1; 1 where they match as typed. */
  readonly similarity: number;
}

const defaultTolerance = 0.005;

/** A value prepared to be compared, or null when it is empty. */
export function prepared(column: ComparedColumn, value: Scalar | undefined): PreparedValue | null {
  if (isEmpty(value)) return null;
  const strict = String(value).normalize("NFC").trim();
  const number = column.type === ColumnType.NUMBER ? toNumber(value) : undefined;
  return {
    value,
    strict,
    number,
    canonical: number === undefined ? canonicalText(column, strict) : String(number),
    text: comparedText(strict),
  };
}

/**
 * How two values of a column compare. Strict: the same characters, composed and trimmed. Typed: the same number, day, truth, enum value
 * or text. Soft: at least half alike by `likeness`; enum values and truths are alike or not.
 */
export function cellMatch(column: ComparedColumn, expected: PreparedValue, actual: PreparedValue): CellMatch {
  if (expected.strict === actual.strict) return { closeness: "strict", similarity: 1 };
  if (sameTyped(column, expected, actual)) return { closeness: "typed", similarity: 1 };
  const graded = column.type !== ColumnType.BOOLEAN && column.type !== ColumnType.ENUM;
  const similarity = graded ? likeness(expected.text, actual.text) : 0;
  return { closeness: similarity > 0 ? "soft" : "none", similarity };
}

function sameTyped(column: ComparedColumn, one: PreparedValue, other: PreparedValue): boolean {
  if (one.canonical === other.canonical) return true;
  if (one.number !== undefined && other.number !== undefined) return sameNumber(column, one.number, other.number);
  return column.type === ColumnType.TEXT && column.characters === undefined && sameIdentifier(one.strict, other.strict);
}

function sameNumber({ tolerance, relativeTolerance }: Comparison, one: number, other: number): boolean {
  const largest = Math.max(Math.abs(one), Math.abs(other));
  const smallest = Math.min(Math.abs(one), Math.abs(other));
  // What is lost when decimal fractions become binary must not turn 0.005 into more than 0.005.
  const rounding = largest * 1e-12;
  return (
    Math.abs(one - other) <= Math.max(tolerance ?? defaultTolerance, (relativeTolerance ?? 0) * smallest) + rounding
  );
}

function toNumber(value: string | number | boolean): number | undefined {
  return typeof value === "number" ? value : writtenNumber(String(value));
}

function canonicalText(column: ComparedColumn, strict: string): string {
  if (column.characters === "digits") return strict.replace(/\D/gu, "") || foldedText(strict);
  if (column.characters === "letters and digits") return lettersAndDigits(strict) || foldedText(strict);
  if (column.type === ColumnType.DATE) return /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/u.exec(strict)?.[1] ?? foldedText(strict);
  return foldedText(strict);
}
