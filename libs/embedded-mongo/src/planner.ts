import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import {
  conditionsOf,
  constraintOf,
  descending,
  everything,
  intersection,
  type Constraint,
  type Range,
} from "./bounds.ts";
import type { Index } from "./catalog.ts";
import type { Filter } from "./filter.ts";
import { compileFilter } from "./matcher.ts";
import type { SortField } from "./sorting.ts";

/** How the candidates of a query are found. */
export type Plan =
  | { readonly kind: "collection" }
  | { readonly kind: "index"; readonly index: Index; readonly ranges: readonly Range[]; readonly reverse: boolean }
  | { readonly kind: "union"; readonly plans: readonly Plan[] };

/** A plan, and what is left to do with its candidates. */
export interface Planned {
  readonly plan: Plan;
  /** The candidates come in the order of the sort. */
  readonly sorted: boolean;
  /** Every committed candidate matches. */
  readonly exact: boolean;
}

interface Rated extends Planned {
  readonly score: number;
}

/** Above this many combinations of values, the later fields of an index are not used. */
const mostRanges = 400;

/** Chooses how to find the documents of a query; with a sort, prefers an index that gives its order. */
export function planQuery(indexes: readonly Index[], filter: Filter, sort: readonly SortField[]): Planned {
  const conditions = conditionsOf(filter);
  const constraints = conditions.flatMap((condition) => constraintOf(condition) ?? []);
  let best: Rated = { plan: { kind: "collection" }, sorted: sort.length === 0, exact: isEverything(filter), score: 0 };
  for (const index of indexes) {
    if (!covers(index, conditions, constraints)) continue;
    const rated = useIndex(index, conditions, constraints, sort);
    if (rated.score > best.score) best = rated;
  }
  return best.score > 0 ? best : (unionOf(indexes, conditions) ?? best);
}

/** True for the query that matches all documents. */
export function isEverything(filter: Filter): boolean {
  return filter.kind === "and" && filter.parts.every(isEverything);
}

function useIndex(
  index: Index,
  conditions: readonly Filter[],
  constraints: readonly Constraint[],
  sort: readonly SortField[],
): Rated {
  const { fields, unique } = index.definition;
  const used = new Set<Filter>();
  /** Per field: held to one value; and whether that is the field's only value, not one of an array's elements. */
  const pins: Pin[] = [];
  let prefixes: Range[] | undefined;
  let heads: Buffer[] = [Buffer.alloc(0)];
  let equalities = 0;
  let bounded = 0;
  let exact = true;
  let multikeyUsed = false;
  for (const [at, field] of fields.entries()) {
    const multikey = index.multikey[at] === true;
    // Two conditions on one array may be met by two of its elements.
    if (multikey && multikeyUsed) break;
    const own = constraints.filter((each) => each.field === field.name);
    const bound = multikey ? bestOf(own) : combined(own);
    if (bound === undefined || heads.length * bound.ranges.length > mostRanges) break;
    multikeyUsed ||= multikey;
    exact &&= bound.exact && !multikey;
    for (const source of bound.sources) used.add(source);
    const ranges = field.direction === 1 ? bound.ranges : descending(bound.ranges);
    prefixes = heads.flatMap((head) =>
      ranges.map(({ from, to }) => ({ from: Buffer.concat([head, from]), to: Buffer.concat([head, to]) })),
    );
    bounded += 1;
    if (!bound.points) break;
    equalities += 1;
    const pinned = ranges.length === 1 && bound.present;
    pins.push({ pinned, whole: pinned && !multikey });
    heads = prefixes.map(({ from }) => from);
    // The encoding of null's range begins before null: it cannot be a prefix of compound keys.
    if (!bound.present) break;
  }
  const order = sort.length === 0 ? { sorted: true, reverse: false } : orderOf(index, pins, sort);
  const whole = unique && equalities === fields.length && prefixes?.length === 1;
  const score =
    (whole ? 1000 : 0) + equalities * 10 + (bounded > equalities ? 5 : 0) + (sort.length > 0 && order.sorted ? 8 : 0);
  return {
    plan: { kind: "index", index, ranges: prefixes ?? [everything], reverse: order.reverse },
    sorted: order.sorted,
    exact: exact && bounded > 0 && conditions.every((condition) => used.has(condition)),
    score,
  };
}

interface Bound {
  readonly ranges: readonly Range[];
  readonly points: boolean;
  readonly exact: boolean;
  readonly present: boolean;
  readonly sources: readonly Filter[];
}

/** All conditions on a field together: right where the field holds one value. */
function combined(constraints: readonly Constraint[]): Bound | undefined {
  if (constraints.length === 0) return undefined;
  return {
    ranges: constraints.reduce<readonly Range[]>((ranges, each) => intersection(ranges, each.ranges), [everything]),
    points: constraints.some((each) => each.points),
    exact: constraints.every((each) => each.exact),
    present: constraints.some((each) => each.present),
    sources: constraints.map((each) => each.source),
  };
}

/** The one condition to use on a field that may hold arrays. */
function bestOf(constraints: readonly Constraint[]): Bound | undefined {
  const best = constraints.find((each) => each.points) ?? constraints[0];
  return best === undefined ? undefined : combined([best]);
}

interface Pin {
  readonly pinned: boolean;
  readonly whole: boolean;
}

/**
 * Whether an index gives the order of a sort, read forwards or backwards. Fields of the sort with one fixed value do not matter, nor
 * do fields of the index that are held to one value: the keys behind it are in order, also behind one element of arrays.
 */
function orderOf(
  index: Index,
  pins: readonly Pin[],
  sort: readonly SortField[],
): { sorted: boolean; reverse: boolean } {
  const { fields } = index.definition;
  let at = 0;
  let reverse: boolean | undefined;
  for (const { name, direction } of sort) {
    const fixed = fields.findIndex((field, place) => field.name === name && pins[place]?.whole === true);
    if (fixed >= 0) continue;
    while (pins[at]?.pinned === true) at += 1;
    const field = fields[at];
    if (field?.name !== name || index.multikey[at] === true) return { sorted: false, reverse: false };
    const turned = field.direction !== direction;
    if (reverse !== undefined && reverse !== turned) return { sorted: false, reverse: false };
    reverse = turned;
    at += 1;
  }
  return { sorted: true, reverse: reverse ?? false };
}

/** A partial or sparse index has only some documents: true when all that the query wants are among them. */
function covers(index: Index, conditions: readonly Filter[], constraints: readonly Constraint[]): boolean {
  const { partial, sparse, fields } = index.definition;
  if (sparse && !constraints.some((each) => each.present && fields.some(({ name }) => name === each.field)))
    return false;
  if (partial === undefined) return true;
  return conditionsOf(partial.filter).every((wanted) => conditions.some((given) => implies(given, wanted)));
}

function implies(given: Filter, wanted: Filter): boolean {
  if (isDeepStrictEqual(given, wanted)) return true;
  if (!("path" in given) || !("path" in wanted) || given.path.join(".") !== wanted.path.join(".")) return false;
  if (wanted.kind === "exists") return constraintOf(given)?.present === true;
  // A value that the query asks for stands for all its documents, where no array can add others.
  const operands =
    given.kind === "in" ? given.operands : given.kind === "compare" && given.operator === "eq" ? [given.operand] : [];
  if (operands.length === 0) return false;
  const matches = compileFilter({ ...wanted, path: [] });
  return operands.every(
    (operand) => operand !== null && operand !== undefined && !Array.isArray(operand) && matches(operand),
  );
}

function unionOf(indexes: readonly Index[], conditions: readonly Filter[]): Planned | undefined {
  for (const condition of conditions) {
    if (condition.kind !== "or" || condition.parts.length === 0) continue;
    const plans = condition.parts.map((part) => planQuery(indexes, part, []));
    if (plans.some(({ plan }) => plan.kind === "collection")) continue;
    return { plan: { kind: "union", plans: plans.map(({ plan }) => plan) }, sorted: false, exact: false };
  }
  return undefined;
}
