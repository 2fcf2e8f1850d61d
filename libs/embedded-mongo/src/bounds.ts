import { Buffer } from "node:buffer";
import { Double } from "bson";
import { encodeValue, successorOf, tagOf } from "./key-encoding.ts";
import type { Filter } from "./filter.ts";
import { kindOf } from "./values.ts";

/** Keys from `from` (included) to `to` (not included). */
export interface Range {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** What one condition of a query says about one field: where no array is on the path, these values and no others match. */
export interface Constraint {
  readonly field: string;
  /** Of encoded values; in order, without overlaps. */
  readonly ranges: readonly Range[];
  /** All ranges are single values; `from` is the value's encoding. */
  readonly points: boolean;
  /** Documents without the field cannot match. */
  readonly present: boolean;
  /** The condition itself. */
  readonly source: Filter;
}

/** All values of one field. */
export const everything: Range = { from: Buffer.of(0), to: Buffer.alloc(32, 0xff) };

/** The conditions that must all hold, out of a query; none for the query that all documents match. */
export function conditionsOf(filter: Filter): Filter[] {
  return filter.kind === "and" ? filter.parts.flatMap(conditionsOf) : [filter];
}

/** Reads a condition as ranges of keys; undefined where an index cannot help. */
export function constraintOf(source: Filter): Constraint | undefined {
  if (source.kind !== "compare") return undefined;
  const { operator, operands } = source;
  if (source.path.length === 0 || operands.some(Array.isArray)) return undefined;
  const points = operands
    .map((operand) => encodeValue(operand))
    .sort((left, right) => Buffer.compare(left, right))
    .filter((each, at, all) => at === 0 || !each.equals(all[at - 1] as Buffer))
    .map((from) => ({ from, to: successorOf(from) }));
  const present = !operands.some((operand) => operand === null || operand === undefined);
  const [point] = points;
  const range = operator === "in" || point === undefined ? undefined : rangeFrom(operator, operands[0], point);
  const ranges = range === undefined ? points : [range].filter(({ from, to }) => Buffer.compare(from, to) < 0);
  return { field: source.path.join("."), ranges, points: range === undefined, present, source };
}

/** The ranges that are in both lists. */
export function intersection(left: readonly Range[], right: readonly Range[]): Range[] {
  return left.flatMap((a) =>
    right.flatMap((b) => {
      const from = Buffer.compare(a.from, b.from) > 0 ? a.from : b.from;
      const to = Buffer.compare(a.to, b.to) < 0 ? a.to : b.to;
      return Buffer.compare(from, to) < 0 ? [{ from, to }] : [];
    }),
  );
}

/** The values that come before or after one of the same kind. Null and NaN have no such neighbours. */
function rangeFrom(operator: "gt" | "gte" | "lt" | "lte", operand: unknown, { from, to }: Range): Range {
  const kind = kindOf(operand);
  const first = kind === "number" ? encodeValue(new Double(Number.NEGATIVE_INFINITY)) : Buffer.of(tagOf(kind));
  const lone = kind === "null" || kind === "missing" || Buffer.compare(from, first) < 0;
  const kinds = lone ? { from, to } : { from: first, to: Buffer.of(tagOf(kind) + 1) };
  if (operator === "gt") return { from: to, to: kinds.to };
  if (operator === "gte") return { from, to: kinds.to };
  return { from: kinds.from, to: operator === "lt" ? from : to };
}
