import { Buffer } from "node:buffer";
import { Double } from "bson";
import type { Comparison, Filter } from "./filter.ts";
import { encodeValue, invertBytes, getSuccessor } from "../values/key-encoding.ts";

/** Keys from `from` (included) to `to` (not included). */
export interface Range {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** What one condition of a query says about one field: where no array is on the path, these values and no others match. */
export interface Constraint {
  readonly field: string;
  /** Of encoded values; in order, without overlaps. Empty ones count for nothing. */
  readonly ranges: readonly Range[];
  /** All ranges are single values; `from` is the value's encoding. */
  readonly points: boolean;
  /** Documents without the field cannot match. */
  readonly present: boolean;
}

/** All keys. */
export const allKeys: Range = { from: Buffer.alloc(0), to: Buffer.alloc(32, 0xff) };

/** The conditions that must all hold, out of a query; none for the query that all documents match. */
export function getConditions(filter: Filter): Filter[] {
  return filter.kind === "and" ? filter.parts.flatMap(getConditions) : [filter];
}

/** Reads a condition as ranges of keys; undefined where an index cannot help. */
export function getConstraint(condition: Filter): Constraint | undefined {
  if (condition.kind !== "compare") return undefined;
  const { path, operator, operands } = condition;
  if (operands.some(Array.isArray)) return undefined;
  const present = !operands.some((operand) => operand === null || operand === undefined);
  return { field: path.join("."), ranges: toRanges(operator, operands), points: operator === "in", present };
}

/** The encoded values that a comparison holds for. */
export function toRanges(operator: Comparison, operands: readonly unknown[]): Range[] {
  const points = operands
    .map(encodeValue)
    .sort((left, right) => Buffer.compare(left, right))
    .filter((each, at, all) => at === 0 || !each.equals(all[at - 1] as Buffer))
    .map((from) => ({ from, to: getSuccessor(from) }));
  return operator === "in" ? points : points.map((point) => rangeFrom(operator, point));
}

/** The ranges that are in both lists. */
export function intersection(left: readonly Range[], right: readonly Range[]): Range[] {
  const both = left.flatMap((a) =>
    right.map((b) => ({
      from: Buffer.compare(a.from, b.from) > 0 ? a.from : b.from,
      to: Buffer.compare(a.to, b.to) < 0 ? a.to : b.to,
    })),
  );
  return both.filter(({ from, to }) => Buffer.compare(from, to) < 0);
}

/** The same values as they lie in a descending index field. */
export function invertRange({ from, to }: Range, point: boolean): Range {
  return { from: point ? invertBytes(from) : getSuccessor(invertBytes(to)), to: getSuccessor(invertBytes(from)) };
}

const minNumber = encodeValue(new Double(Number.NEGATIVE_INFINITY));

/** The values that come before or after one of the same kind. NaN has no such neighbours. */
function rangeFrom(operator: Exclude<Comparison, "in">, { from, to }: Range): Range {
  const tag = from[0] as number;
  const least = tag === minNumber[0] ? minNumber : Buffer.of(tag);
  const kind = Buffer.compare(from, least) < 0 ? { from, to } : { from: least, to: Buffer.of(tag + 1) };
  if (operator === "gt") return { from: to, to: kind.to };
  if (operator === "gte") return { from, to: kind.to };
  return { from: kind.from, to: operator === "lt" ? from : to };
}
