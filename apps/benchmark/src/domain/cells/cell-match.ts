import { ColumnType } from "@switchyard/contracts/switchyard/configuration/v1/configuration";
import { isEmpty } from "./cell-value.ts";
import type { Scalar } from "./cell-value.ts";
import { prepareText, computeSimilarity } from "./edit-distance.ts";
import type { PreparedText } from "./edit-distance.ts";
import { foldText, keepLettersAndDigits, isSameIdentifier } from "./text-match.ts";
import { parseNumber } from "./written-number.ts";

/** The settings for the comparison of values of a column. */
export interface Comparison {
  /** The maximum absolute difference of numbers. The default is 0.005. */
  readonly tolerance?: number | undefined;
  /** The maximum difference of numbers relative to the smaller one. The greater tolerance counts. The default is 0. */
  readonly relativeTolerance?: number | undefined;
  /** The characters of a text that are compared. By default all, but only letters and digits of identifiers. */
  readonly characters?: "letters and digits" | "digits" | undefined;
}

/** The properties of a column that the comparison of its cells depends on. */
export interface ComparedColumn extends Comparison {
  readonly type: ColumnType;
}

/** A value that is prepared for comparison with other values of its column. */
export interface PreparedValue {
  readonly value: Scalar;
  /** The text for strict comparison. */
  readonly strict: string;
  /** Values with the same canonical text match as typed. Others may match as typed, too. */
  readonly canonical: string;
  readonly number: number | undefined;
  /** The text for the computation of similarity. */
  readonly text: PreparedText;
}

/** The closest match of two cells. A match of one kind also is a match of the following kinds. */
export type Closeness = "strict" | "typed" | "soft" | "none";

/** The result of the comparison of two cells. */
export interface CellMatch {
  readonly closeness: Closeness;
  /** The similarity from 0 to 1. It is 1 for a strict or typed match. */
  readonly similarity: number;
}

const defaultTolerance = 0.005;

/** Prepares a value for comparison. Returns null if it is empty. */
export function prepareValue(column: ComparedColumn, value: Scalar | undefined): PreparedValue | null {
  if (isEmpty(value)) return null;
  const strict = String(value).normalize("NFC").trim();
  const number = column.type === ColumnType.NUMBER ? toNumber(value) : undefined;
  return {
    value,
    strict,
    number,
    canonical: number === undefined ? toCanonicalText(column, strict) : String(number),
    text: prepareText(strict),
  };
}

/**
 * Compares two values of a column. Strict: the same characters, after normalization and trimming. Typed: the same number, day, boolean,
 * enum value or text. Soft: a similarity of at least one half by {@link computeSimilarity}, but never for enum values and booleans.
 */
export function matchCells(column: ComparedColumn, expected: PreparedValue, actual: PreparedValue): CellMatch {
  if (expected.strict === actual.strict) return { closeness: "strict", similarity: 1 };
  if (isSameTyped(column, expected, actual)) return { closeness: "typed", similarity: 1 };
  const graded = column.type !== ColumnType.BOOLEAN && column.type !== ColumnType.ENUM;
  const similarity = graded ? computeSimilarity(expected.text, actual.text) : 0;
  return { closeness: similarity > 0 ? "soft" : "none", similarity };
}

function isSameTyped(column: ComparedColumn, one: PreparedValue, other: PreparedValue): boolean {
  if (one.canonical === other.canonical) return true;
  if (one.number !== undefined && other.number !== undefined) return isSameNumber(column, one.number, other.number);
  return (
    column.type === ColumnType.TEXT && column.characters === undefined && isSameIdentifier(one.strict, other.strict)
  );
}

function isSameNumber({ tolerance, relativeTolerance }: Comparison, one: number, other: number): boolean {
  const largest = Math.max(Math.abs(one), Math.abs(other));
  const smallest = Math.min(Math.abs(one), Math.abs(other));
  // Allows for the rounding of decimal fractions, so that a difference of 0.005 does not exceed 0.005.
  const rounding = largest * 1e-12;
  return (
    Math.abs(one - other) <= Math.max(tolerance ?? defaultTolerance, (relativeTolerance ?? 0) * smallest) + rounding
  );
}

function toNumber(value: string | number | boolean): number | undefined {
  return typeof value === "number" ? value : parseNumber(String(value));
}

function toCanonicalText(column: ComparedColumn, strict: string): string {
  if (column.characters === "digits") return strict.replace(/\D/gu, "") || foldText(strict);
  if (column.characters === "letters and digits") return keepLettersAndDigits(strict) || foldText(strict);
  if (column.type === ColumnType.DATE) return /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/u.exec(strict)?.[1] ?? foldText(strict);
  return foldText(strict);
}
