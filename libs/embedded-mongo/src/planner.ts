import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { conditionsOf, constraintOf, everything, intersection, type Constraint, type Range } from "./bounds.ts";
import type { Index } from "./catalog.ts";
import type { Filter } from "./filter.ts";
import type { IndexDefinition } from "./index-definition.ts";
import { inverted, successorOf } from "./key-encoding.ts";
import type { SortField } from "./sorting.ts";

/** Ranges of an index, to be read in its order or backwards. */
export interface IndexScan {
  readonly index: Index;
  /** In the order of the index. */
  readonly ranges: readonly Range[];
  readonly reverse: boolean;
}

/** How the candidates of a query are found, and what is left to do with them. */
export interface Plan {
  /** To compare plans by: more is better. */
  readonly score: number;
  /** Read one after the other; undefined for the whole collection. */
  readonly scans: readonly IndexScan[] | undefined;
  /** Each scan is in the order of the sort: merged, they are together. */
  readonly merged: boolean;
  /** The candidates come in the order of the sort. */
  readonly sorted: boolean;
  /** Every committed candidate matches. */
  readonly exact: boolean;
}

/** Above this many combinations of values, the later fields of an index are not used. */
const mostRanges = 400;

/** As many branches of `$or`, or values of `$in` in a query with a sort, get scans of their own. */
const mostScans = 50;

/**
 * Chooses how to find the documents of a query: by the index with the longest prefix of fields held to single values,
 * then a range of the next field, preferring one that gives the order of the sort; or by one such index for each branch.
 */
export function planQuery(indexes: readonly Index[], filter: Filter, sort: readonly SortField[]): Plan {
  return planConditions(indexes, conditionsOf(filter), sort, mostScans);
}

function planConditions(
  indexes: readonly Index[],
  conditions: readonly Filter[],
  sort: readonly SortField[],
  scansLeft: number,
): Plan {
  const constraints = conditions.flatMap((condition) => constraintOf(condition) ?? []);
  const exact = conditions.length === 0;
  let best: Plan = { score: 0, scans: undefined, merged: false, sorted: sort.length === 0, exact };
  const compare = (plan: Plan): void => void (best = plan.score > best.score ? plan : best);
  for (const index of indexes) {
    if (!serves(index.definition, conditions, constraints, sort)) continue;
    compare(useIndex(index, conditions, constraints, sort));
  }
  for (const [at, condition] of conditions.entries()) {
    const branches = branchesOf(condition, best.sorted);
    if (best.score >= whole || branches.length === 0 || branches.length > scansLeft) continue;
    const others = conditions.toSpliced(at, 1);
    const left = Math.floor(scansLeft / branches.length / 2);
    const plans = branches.map((part) => planConditions(indexes, [...others, ...conditionsOf(part)], sort, left));
    const sorted = plans.every((plan) => plan.sorted);
    compare({
      score: Math.min(...plans.map(({ score }) => score)),
      scans: plans.flatMap(({ scans }) => scans ?? []),
      merged: sorted && sort.length > 0,
      sorted,
      exact: plans.every((plan) => plan.exact),
    });
  }
  return best;
}

/** The alternatives of a condition that may be looked for apart: those of `$or`, and values that a sort keeps apart. */
function branchesOf(condition: Filter, sorted: boolean): readonly Filter[] {
  if (condition.kind === "or") return condition.parts;
  if (condition.kind !== "compare" || condition.operands.length < 2 || sorted) return [];
  return condition.operands.map((operand) => ({ ...condition, operands: [operand] }));
}

/** The score of a plan that finds one document at most. */
const whole = 1000;

function useIndex(
  index: Index,
  conditions: readonly Filter[],
  constraints: readonly Constraint[],
  sort: readonly SortField[],
): Plan {
  const { fields, unique } = index.definition;
  const used = new Set<Filter>();
  /** Of the fields held to single values: whether there is one. */
  const singles: boolean[] = [];
  let heads: Buffer[] = [Buffer.alloc(0)];
  let ranges: Range[] = [everything];
  let [ranged, arrayUsed] = [false, false];
  for (const [at, { name, direction }] of fields.entries()) {
    const own = constraints.filter(({ field }) => field === name);
    const array = index.multikey[at] === true;
    // Two conditions on one array may be met by two of its elements.
    const taken = array ? own.toSorted((a, b) => Number(b.points) - Number(a.points)).slice(0, 1) : own;
    const bounds = taken.reduce((both, each) => intersection(both, each.ranges), [everything]);
    if (taken.length === 0 || (array && arrayUsed) || heads.length * bounds.length > mostRanges) break;
    arrayUsed ||= array;
    for (const { source } of taken) used.add(source);
    const points = taken.some((each) => each.points);
    const turned = direction === 1 ? bounds : bounds.map((each) => turnedOver(each, points)).reverse();
    if (!points) {
      ranged = true;
      ranges = heads.flatMap((head) => turned.map(({ from, to }) => ({ from: join(head, from), to: join(head, to) })));
      break;
    }
    heads = heads.flatMap((head) => turned.map(({ from }) => join(head, from)));
    ranges = heads.map((from) => ({ from, to: successorOf(from) }));
    singles.push(turned.length === 1);
  }
  const reverse = directionOf(index, singles, sort);
  const one = unique && singles.length === fields.length && ranges.length === 1;
  const ordered = sort.length > 0 && reverse !== undefined;
  return {
    score: (one ? whole : 0) + singles.length * 10 + (ranged ? 5 : 0) + (ordered ? 8 : 0),
    scans: [{ index, ranges, reverse: reverse ?? false }],
    merged: false,
    sorted: reverse !== undefined,
    exact: !arrayUsed && used.size === conditions.length,
  };
}

function join(head: Buffer, tail: Buffer): Buffer {
  return head.length === 0 ? tail : Buffer.concat([head, tail]);
}

/** The same values as they lie in a descending index field. */
function turnedOver({ from, to }: Range, point: boolean): Range {
  return { from: point ? inverted(from) : successorOf(inverted(to)), to: successorOf(inverted(from)) };
}

/**
 * Whether an index gives the order of a sort when it is read forwards (false) or backwards (true); undefined when it does
 * not. Fields of the sort with one fixed value do not matter, nor do fields of the index that are held to one value: the
 * keys behind it are in order, also behind one element of arrays.
 */
function directionOf(index: Index, singles: readonly boolean[], sort: readonly SortField[]): boolean | undefined {
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

/**
 * True for an index that can help: a condition or the sort names its first field, and all documents that the query wants
 * are in it. A partial or sparse index has only some.
 */
function serves(
  { partial, sparse, fields }: IndexDefinition,
  conditions: readonly Filter[],
  constraints: readonly Constraint[],
  sort: readonly SortField[],
): boolean {
  if (sort.length === 0 && !constraints.some(({ field }) => field === fields[0]?.name)) return false;
  const present = constraints.some((each) => each.present && fields.some(({ name }) => name === each.field));
  const wanted = partial === undefined ? [] : conditionsOf(partial.filter);
  return (!sparse || present) && wanted.every((each) => conditions.some((given) => implies(given, each)));
}

function implies(given: Filter, wanted: Filter): boolean {
  if (isDeepStrictEqual(given, wanted)) return true;
  const asked = constraintOf(given);
  if (asked === undefined || !("path" in wanted) || wanted.path.join(".") !== asked.field) return false;
  if (wanted.kind === "exists") return asked.present;
  const held = constraintOf(wanted)?.ranges;
  return held !== undefined && isDeepStrictEqual(intersection(asked.ranges, held), asked.ranges);
}
