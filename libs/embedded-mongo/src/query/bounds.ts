import { Buffer } from "node:buffer";
import { Double } from "bson";
import type { Comparison, Filter } from "./filter.ts";
import { encodeValue, invertBytes, getSuccessor } from "../values/key-encoding.ts";

/** A range of keys from `from` (inclusive) to `to` (exclusive). */
export interface Range {
  readonly from: Buffer;
  readonly to: Buffer;
}

/**
 * A constraint that a condition of a query sets on a field. If there is no array on the path, the field matches exactly if its value is in
 * the ranges.
 */
export interface Constraint {
  readonly field: string;
  /** Ranges of encoded values, in order and without overlaps. They may be empty. */
  readonly ranges: readonly Range[];
  /** True if all ranges are single values. `from` is then the encoding of the value. */
  readonly points: boolean;
  /** True if documents without the field cannot match. */
  readonly present: boolean;
}

/** The range of all keys. */
export const allKeys: Range = { from: Buffer.alloc(0), to: Buffer.alloc(32, 0xff) };

/** Returns the conditions of a query that must all be true. A query that matches all documents has none. */
export function getConditions(filter: Filter): Filter[] {
  return filter.kind === "and" ? filter.parts.flatMap(getConditions) : [filter];
}

/** Converts a condition to ranges of keys. Returns undefined if an index cannot help. */
export function getConstraint(condition: Filter): Constraint | undefined {
  if (condition.kind !== "compare") return undefined;
  const { path, operator, operands } = condition;
  if (operands.some(Array.isArray)) return undefined;
  const present = !operands.some((operand) => operand === null || operand === undefined);
  return { field: path.join("."), ranges: toRanges(operator, operands), points: operator === "in", present };
}

/** Returns the ranges of encoded values for which a comparison is true. */
export function toRanges(operator: Comparison, operands: readonly unknown[]): Range[] {
  const points = operands
    .map(encodeValue)
    .sort((left, right) => Buffer.compare(left, right))
    .filter((each, at, all) => at === 0 || !each.equals(all[at - 1] as Buffer))
    .map((from) => ({ from, to: getSuccessor(from) }));
  return operator === "in" ? points : points.map((point) => rangeFrom(operator, point));
}

/** Returns the intersection of two lists of ranges, which are in order and without overlaps, in one pass over both. */
export function intersection(left: readonly Range[], right: readonly Range[]): Range[] {
  const both: Range[] = [];
  for (let [at, other] = [0, 0]; ;) {
    const [a, b] = [left[at], right[other]];
    if (a === undefined || b === undefined) return both;
    const from = Buffer.compare(a.from, b.from) > 0 ? a.from : b.from;
    const endsFirst = Buffer.compare(a.to, b.to) < 0;
    const { to } = endsFirst ? a : b;
    if (Buffer.compare(from, to) < 0) both.push({ from, to });
    if (endsFirst) at += 1;
    else other += 1;
  }
}

/** Converts a range to the keys of a descending index field. */
export function invertRange({ from, to }: Range, point: boolean): Range {
  return { from: point ? invertBytes(from) : getSuccessor(invertBytes(to)), to: getSuccessor(invertBytes(from)) };
}

const minNumber = encodeValue(new Double(Number.NEGATIVE_INFINITY));

/** Returns the range of values of the same type before or after a value. NaN has none. */
function rangeFrom(operator: Exclude<Comparison, "in">, { from, to }: Range): Range {
  const tag = from[0] as number;
  const least = tag === minNumber[0] ? minNumber : Buffer.of(tag);
  const kind = Buffer.compare(from, least) < 0 ? { from, to } : { from: least, to: Buffer.of(tag + 1) };
  if (operator === "gt") return { from: to, to: kind.to };
  if (operator === "gte") return { from, to: kind.to };
  return { from: kind.from, to: operator === "lt" ? from : to };
}
