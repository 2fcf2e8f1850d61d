import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { getConditions, getConstraint, allKeys, intersection, invertRange } from "./bounds.ts";
import type { Constraint, Range } from "./bounds.ts";
import type { Index } from "../storage/catalog.ts";
import type { Filter } from "./filter.ts";
import type { IndexDefinition } from "../indexes/index-definition.ts";
import type { IndexField } from "../indexes/index-definition.ts";

/** Ranges of an index, to be read in its order or backwards. */
export interface Scan {
  /** Undefined for the collection itself, in the order of its records. */
  readonly index: Index | undefined;
  /** In the order of the index. */
  readonly ranges: readonly Range[];
  readonly reverse: boolean;
}

/** How the candidates of a query are found, and what is left to do with them. */
export interface Plan {
  /** To compare plans by: more is better. */
  readonly score: number;
  readonly scans: readonly Scan[];
  /** The candidates of each scan come in the order of the sort. */
  readonly sorted: boolean;
  /** Every committed candidate matches. */
  readonly exact: boolean;
}

/** Reads a whole collection. */
export const wholeCollection: Scan = { index: undefined, ranges: [allKeys], reverse: false };

/** Above this many combinations of values, the later fields of an index are not used. */
const maxRanges = 400;

/** As many branches of `$or`, or values of `$in` in a query with a sort, get scans of their own. */
const maxScans = 50;

/** As many conditions with alternatives are tried, each within the others: with every one more, planning takes much longer. */
const maxSplits = 4;

/** Above it, a plan finds one document at most. */
const uniqueLookupScore = 1000;

/**
 * Chooses how to find the documents of a query: by the index with the longest prefix of fields held to single values,
 * then a range of the next field, preferring one that gives the order of the sort; or by one such index for each branch.
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
    .map((condition, at) => ({ branches: getBranches(condition, simple.sorted), others: conditions.toSpliced(at, 1) }))
    .filter(({ branches }) => branches.length > 0 && branches.length <= scansLeft && simple.score < uniqueLookupScore);
  const split = splits.slice(0, maxSplits).map(({ branches, others }): Plan => {
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

/** The alternatives of a condition that may be looked for apart: those of `$or`, and values that a sort keeps apart. */
function getBranches(condition: Filter, sorted: boolean): readonly Filter[] {
  if (condition.kind === "or") return condition.parts;
  if (condition.kind !== "compare" || condition.operands.length < 2 || sorted) return [];
  return condition.operands.map((operand) => ({ ...condition, operands: [operand] }));
}

/** True for an index with all documents that the query wants: a partial or sparse one has only some. */
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
  /** Of the fields held to single values: whether there is one. */
  const singles: boolean[] = [];
  let ranges = [allKeys];
  let [used, ranged, arrayUsed] = [0, false, false];
  for (const [at, { name, direction }] of fields.entries()) {
    const own = constraints.filter(({ field }) => field === name);
    const array = index.multikey[at] === true;
    // Two conditions on one array may be met by two of its elements.
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
    // Of two that are alike, the one that has fewer documents.
    score: score > 0 && partial !== undefined ? score + 1 : score,
    scans: [{ index, ranges, reverse: reverse ?? false }],
    sorted: reverse !== undefined,
    exact: !arrayUsed && used === conditions.length,
  };
}

/**
 * Whether an index gives the order of a sort when it is read forwards (false) or backwards (true); undefined when it does
 * not. Fields of the sort with one fixed value do not matter, nor do fields of the index that are held to one value: the
 * keys behind it are in order, also behind one element of arrays.
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
