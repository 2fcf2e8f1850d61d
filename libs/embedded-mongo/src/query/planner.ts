import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { getConditions, getConstraint, allKeys, intersection, invertRange } from "./bounds.ts";
import type { Constraint, Range } from "./bounds.ts";
import type { Index } from "../storage/catalog.ts";
import type { Filter } from "./filter.ts";
import type { IndexDefinition } from "../indexes/index-definition.ts";
import type { IndexField } from "../indexes/index-definition.ts";

/** A scan of ranges of an index, forwards or backwards. */
export interface Scan {
  /** Undefined for a scan of the collection in the order of its records. */
  readonly index: Index | undefined;
  /** The ranges in index order. */
  readonly ranges: readonly Range[];
  readonly reverse: boolean;
}

/** A plan: how a query finds its candidates, and what is left to do with them. */
export interface Plan {
  /** The score of the plan. The plan with the highest score is used. */
  readonly score: number;
  readonly scans: readonly Scan[];
  /** True if each scan returns its candidates in the sort order. */
  readonly sorted: boolean;
  /** True if every committed candidate matches the query. */
  readonly exact: boolean;
}

/** A scan of a complete collection. */
export const wholeCollection: Scan = { index: undefined, ranges: [allKeys], reverse: false };

/** The maximum number of ranges. If another field of an index would exceed it, that field is not used. */
const maxRanges = 400;

/** The maximum number of separate scans for the branches of `$or`, or for the values of `$in` in a query with a sort. */
const maxScans = 50;

/**
 * The maximum number of conditions with branches that are tried, each within the others. Every additional one makes planning much slower.
 */
const maxSplits = 4;

/** A plan with at least this score finds at most one document. */
const uniqueLookupScore = 1000;

/**
 * Plans how to find the documents of a query. Prefers the index with the longest prefix of fields with fixed values, followed by a range of
 * the next field, and an index in the sort order. A query with branches may use one such index for each branch.
 */
export function planQuery(
  indexes: readonly Index[],
  filter: Filter,
  sort: readonly IndexField[],
  scansLeft = maxScans,
): Plan {
  const conditions = getConditions(filter);
  const constraints = conditions.flatMap((condition) => getConstraint(condition) ?? []);
  const whole = { score: 0, scans: [wholeCollection], sorted: sort.length === 0, exact: conditions.length === 0 };
  const simple = indexes
    .filter(({ definition }) => containsAllMatches(definition, conditions, constraints))
    .map((index) => useIndex(index, conditions, constraints, sort))
    .reduce(pickBetter, whole);
  const splits = conditions
    .map((condition, at) => ({ at, branches: getBranches(condition, simple.sorted) }))
    .filter(({ branches }) => branches.length > 0 && branches.length <= scansLeft && simple.score < uniqueLookupScore);
  const split = splits.slice(0, maxSplits).map(({ at, branches }): Plan => {
    // Only for a few conditions, because it copies all the others.
    const others = conditions.toSpliced(at, 1);
    const left = Math.floor(scansLeft / branches.length / 2);
    const parts = branches.map((part) => planQuery(indexes, { kind: "and", parts: [...others, part] }, sort, left));
    return {
      score: Math.min(...parts.map(({ score }) => score)),
      scans: parts.flatMap(({ scans }) => scans),
      sorted: parts.every(({ sorted }) => sorted),
      exact: parts.every(({ exact }) => exact),
    };
  });
  return split.reduce(pickBetter, simple);
}

function pickBetter(best: Plan, plan: Plan): Plan {
  return plan.score > best.score ? plan : best;
}

/**
 * Returns the branches of a condition that can be searched separately: those of `$or`, or the values of `$in` if the scan of all values is
 * not in the sort order.
 */
function getBranches(condition: Filter, sorted: boolean): readonly Filter[] {
  if (condition.kind === "or") return condition.parts;
  if (condition.kind !== "compare" || condition.operands.length < 2 || sorted) return [];
  return condition.operands.map((operand) => ({ ...condition, operands: [operand] }));
}

/** Returns true if an index contains all matching documents. A partial or sparse index may not. */
function containsAllMatches(
  { partial, sparse, fields }: IndexDefinition,
  conditions: readonly Filter[],
  constraints: readonly Constraint[],
): boolean {
  const wanted = partial === undefined ? [] : getConditions(partial.filter);
  return (
    (!sparse || constraints.some(({ field, present }) => present && fields.some(({ name }) => name === field))) &&
    wanted.every((each) => conditions.some((given) => isDeepStrictEqual(given, each)))
  );
}

function useIndex(
  index: Index,
  conditions: readonly Filter[],
  constraints: readonly Constraint[],
  sort: readonly IndexField[],
): Plan {
  const { fields, unique, partial } = index.definition;
  /** For each field with fixed values, whether there is only one. */
  const singles: boolean[] = [];
  let ranges = [allKeys];
  let [used, ranged, arrayUsed] = [0, false, false];
  for (const [at, { name, direction }] of fields.entries()) {
    const own = constraints.filter(({ field }) => field === name);
    const array = index.multikey[at] === true;
    // Different elements of an array may satisfy two conditions, so only one of them can be used.
    const taken = array ? own.toSorted((a, b) => Number(b.points) - Number(a.points)).slice(0, 1) : own;
    const bounds = taken.reduce((both, each) => intersection(both, each.ranges), [allKeys]);
    if (taken.length === 0 || (array && arrayUsed) || ranges.length * bounds.length > maxRanges) break;
    arrayUsed ||= array;
    used += taken.length;
    const points = taken.some((each) => each.points);
    const turned = direction === 1 ? bounds : bounds.map((each) => invertRange(each, points)).reverse();
    ranges = ranges.flatMap(({ from: head }) =>
      turned.map(({ from, to }) => ({ from: Buffer.concat([head, from]), to: Buffer.concat([head, to]) })),
    );
    ranged = !points;
    if (ranged) break;
    singles.push(turned.length === 1);
  }
  const reverse = getDirection(index, singles, sort);
  const one = unique && singles.length === fields.length && ranges.length === 1;
  const ordered = sort.length > 0 && reverse !== undefined;
  const score = (one ? uniqueLookupScore : 0) + singles.length * 10 + (ranged ? 5 : 0) + (ordered ? 8 : 0);
  return {
    // If two indexes are equally good, a partial one is better, because it has fewer documents.
    score: score > 0 && partial !== undefined ? score + 1 : score,
    scans: [{ index, ranges, reverse: reverse ?? false }],
    sorted: reverse !== undefined,
    exact: !arrayUsed && used === conditions.length,
  };
}

/**
 * Returns whether an index must be read backwards to get the sort order, or undefined if it does not have that order. Sort fields with a
 * single fixed value are skipped, as are index fields with a single value, even those of array elements, because the keys after it are in
 * order.
 */
function getDirection(index: Index, singles: readonly boolean[], sort: readonly IndexField[]): boolean | undefined {
  const { fields } = index.definition;
  const fixed = fields.filter((_, at) => singles[at] === true && index.multikey[at] !== true);
  let at = 0;
  let reverse: boolean | undefined;
  for (const { name, direction } of sort) {
    if (fixed.some((field) => field.name === name)) continue;
    while (singles[at] === true) at += 1;
    const turned = fields[at]?.direction !== direction;
    if (fields[at]?.name !== name || index.multikey[at] === true || (reverse ?? turned) !== turned) return undefined;
    reverse = turned;
    at += 1;
  }
  return reverse ?? false;
}
