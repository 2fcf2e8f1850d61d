import { Buffer } from "node:buffer";
import { encodeValue, inverted, rangeOfKind, successorOf } from "./key-encoding.ts";
import type { Filter } from "./filter.ts";
import { kindOf } from "./values.ts";

/** Keys from `from` (included) to `to` (not included). */
export interface Range {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** What one condition of a query says about one field, in encoded values. */
export interface Constraint {
  readonly field: string;
  /** Sorted, without overlaps. */
  readonly ranges: readonly Range[];
  /** All ranges are single values. */
  readonly points: boolean;
  /** No document outside of the query is in the ranges, if no array is on the path. */
  readonly exact: boolean;
  /** Documents without the field cannot match. */
  readonly present: boolean;
  /** The condition itself, to compare it with a partial index's filter. */
  readonly source: Filter;
}

/** The conditions that must all hold, out of a query. */
export function conditionsOf(filter: Filter): Filter[] {
  return filter.kind === "and" ? filter.parts.flatMap(conditionsOf) : [filter];
}

/** Reads a condition as ranges of keys; undefined where an index cannot help. */
export function constraintOf(filter: Filter): Constraint | undefined {
  if (filter.kind === "in") {
    if (filter.operands.length > 1000 || filter.path.length === 0) return undefined;
    const ranges: Range[] = [];
    for (const operand of filter.operands) {
      const range = pointOf(operand);
      if (range === undefined) return undefined;
      ranges.push(range);
    }
    const present = !filter.operands.some(isNull);
    return {
      field: filter.path.join("."),
      ranges: union(ranges),
      points: true,
      exact: present,
      present,
      source: filter,
    };
  }
  if (filter.kind === "or") return hullOf(filter, filter.parts);
  if (filter.kind !== "compare" || filter.path.length === 0) return undefined;
  const field = filter.path.join(".");
  const point = pointOf(filter.operand);
  if (point === undefined) return undefined;
  const present = !isNull(filter.operand);
  if (filter.operator === "eq" || !present) {
    const never = filter.operator === "gt" || filter.operator === "lt";
    return { field, ranges: never ? [] : [point], points: true, exact: present, present, source: filter };
  }
  const kind = rangeOfKind(kindOf(filter.operand));
  const range = {
    gt: { from: point.to, to: kind.to },
    gte: { from: point.from, to: kind.to },
    lt: { from: kind.from, to: point.from },
    lte: { from: kind.from, to: point.to },
  }[filter.operator];
  return { field, ranges: [range], points: false, exact: false, present: true, source: filter };
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

/** The same values as they lie in a descending index field. */
export function descending(ranges: readonly Range[]): Range[] {
  return ranges.map(({ from, to }) => ({ from: successorOf(inverted(to)), to: successorOf(inverted(from)) })).reverse();
}

/** All values of one field. */
export const everything: Range = { from: Buffer.of(0), to: Buffer.alloc(32, 0xff) };

/** One range around what all branches of an `$or` say about a field they all name: helps paging by two fields. */
function hullOf(filter: Filter, parts: readonly Filter[]): Constraint | undefined {
  const branches = parts.map((part) =>
    conditionsOf(part).flatMap((each) => (each.kind === "or" ? [] : (constraintOf(each) ?? []))),
  );
  const field = branches[0]
    ?.map((each) => each.field)
    .find((name) => branches.every((branch) => branch.some((each) => each.field === name)));
  if (field === undefined) return undefined;
  // Any condition of a branch holds for all its documents, so the first one will do.
  const all = branches.map((branch) => branch.find((each) => each.field === field) as Constraint);
  const ranges = union(all.flatMap((each) => each.ranges));
  const [first] = ranges;
  const present = all.every((each) => each.present);
  if (first === undefined) return undefined;
  const hull = { from: first.from, to: (ranges.at(-1) as Range).to };
  return { field, ranges: [hull], points: false, exact: false, present, source: filter };
}

function pointOf(operand: unknown): Range | undefined {
  const kind = kindOf(operand);
  if (kind === "array") return undefined;
  const from = encodeValue(operand);
  const to = successorOf(from);
  // An empty array among values is indexed as "undefined", below null.
  return kind === "null" || kind === "missing" ? { from: rangeOfKind("undefined").from, to } : { from, to };
}

function isNull(operand: unknown): boolean {
  return operand === null || operand === undefined;
}

function union(ranges: readonly Range[]): Range[] {
  const sorted = [...ranges].sort((left, right) => Buffer.compare(left.from, right.from));
  const result: Range[] = [];
  for (const range of sorted) {
    const last = result.at(-1);
    if (last !== undefined && Buffer.compare(range.from, last.to) < 0) {
      const to = Buffer.compare(range.to, last.to) > 0 ? range.to : last.to;
      result[result.length - 1] = { from: last.from, to };
    } else {
      result.push(range);
    }
  }
  return result;
}
