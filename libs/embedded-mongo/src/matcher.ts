import { Buffer } from "node:buffer";
import type { ObjectId } from "bson";
import type { Comparison, Filter, Path } from "./filter.ts";
import { encodeValue } from "./key-encoding.ts";
import { fieldOf, isDocument, kindOf, numberOf, type Kind } from "./values.ts";

/** What a match tells besides yes: the place of the array element that matched, for the update operator `$`. */
export interface MatchDetails {
  position: number | undefined;
}

/** Tells whether a document (or, inside an array, a value) matches. */
export type Matcher = (value: unknown, details?: MatchDetails) => boolean;

/** Compiles a filter to a function. Semantics of arrays and null follow MongoDB's manual, "Query Documents". */
export function compileFilter(filter: Filter): Matcher {
  switch (filter.kind) {
    case "and":
    case "or": {
      const parts = filter.parts.map(compileFilter);
      if (filter.kind === "and") return (value, details) => parts.every((part) => part(value, details));
      return (value, details) => parts.some((part) => part(value, details));
    }
    case "not": {
      const part = compileFilter(filter.part);
      return (value) => !part(value);
    }
    case "compare":
      return some(filter.path, true, comparisonTest(filter.operator, filter.operand));
    case "in": {
      const wanted = new Set(filter.operands.map(keyOf));
      return some(filter.path, true, (value) => wanted.has(keyOf(value)));
    }
    case "exists":
      return some(filter.path, false, (value) => value !== undefined);
    case "size":
      return some(filter.path, false, (value) => Array.isArray(value) && value.length === filter.size);
    case "elements": {
      const part = compileFilter(filter.part);
      // Inside $elemMatch an array counts as a document whose fields are its places.
      const ofDocuments: Matcher = (value) =>
        Array.isArray(value) ? part({ ...value }) : isDocument(value) && part(value);
      const matches = filter.ofDocuments ? ofDocuments : part;
      return (root, details) =>
        visitPath(root, filter.path, 0, undefined, false, (value, position) => {
          const at = Array.isArray(value) ? value.findIndex((each) => matches(each)) : -1;
          if (at >= 0 && details !== undefined) details.position = position ?? at;
          return at >= 0;
        });
    }
  }
}

function some(path: Path, intoArrays: boolean, test: (value: unknown) => boolean): Matcher {
  return (root, details) =>
    visitPath(root, path, 0, undefined, intoArrays, (value, position) => {
      if (!test(value)) return false;
      if (details !== undefined && position !== undefined) details.position = position;
      return true;
    });
}

/**
 * Calls `visit` with every value that a path reaches from `value` (undefined for "missing") until it returns true, and
 * with the place in the outermost array on the way. `intoArrays`: also with the elements of an array at its end.
 */
function visitPath(
  value: unknown,
  path: Path,
  depth: number,
  position: number | undefined,
  intoArrays: boolean,
  visit: (value: unknown, position: number | undefined) => boolean,
): boolean {
  if (depth === path.length) {
    const elements = intoArrays && depth > 0 && Array.isArray(value) ? value : [];
    return elements.some((element, at) => visit(element, position ?? at)) || visit(value, position);
  }
  const name = path[depth] as string;
  if (isDocument(value)) return visitPath(fieldOf(value, name), path, depth + 1, position, intoArrays, visit);
  if (!Array.isArray(value)) return visit(undefined, position);
  if (/^(0|[1-9]\d*)$/.test(name) && Number(name) < value.length) {
    const element: unknown = value[Number(name)];
    // A place in an array names the element itself: its own elements are not tried, and a scalar has no fields.
    const isContainer = Array.isArray(element) || isDocument(element);
    const found =
      depth + 1 === path.length
        ? visit(element, position)
        : isContainer && visitPath(element, path, depth + 1, position, intoArrays, visit);
    if (found) return true;
  }
  return value.some(
    (element, at) => isDocument(element) && visitPath(element, path, depth, position ?? at, intoArrays, visit),
  );
}

const orders: { readonly [operator in Comparison]: (left: number | bigint, right: number | bigint) => boolean } = {
  eq: (left, right) => left == right,
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right,
};

/** The test of a comparison with one value; values of another kind never match, but null matches "missing". */
function comparisonTest(operator: Comparison, operand: unknown): (value: unknown) => boolean {
  const kind = kindOf(operand);
  const inOrder = orders[operator];
  const withEqual = inOrder(0, 0);
  if (kind === "null" || kind === "missing") {
    return (value) => withEqual && (value === undefined || value === null);
  }
  const numeric = kind === "number" ? numberOf : kind === "date" ? Number : undefined;
  if (numeric !== undefined) {
    const wanted = numeric(operand);
    // NaN is equal to itself and in no other range.
    if (Number.isNaN(wanted)) return (value) => withEqual && kindOf(value) === kind && Number.isNaN(numeric(value));
    return (value) => typeof value === "object" && kindOf(value) === kind && inOrder(numeric(value), wanted);
  }
  if (operator === "eq" && (kind === "string" || kind === "boolean")) return (value) => value === operand;
  const bytesOf = bytesOfKinds[kind] ?? encodeValue;
  const wanted = bytesOf(operand);
  return (value) => kindOf(value) === kind && inOrder(Buffer.compare(bytesOf(value), wanted), 0);
}

/** Bytes in the order of the values, where there is a shorter way to them than their encoding. */
const bytesOfKinds: { readonly [kind in Kind]?: (value: unknown) => Uint8Array } = {
  objectId: (value) => (value as ObjectId).id,
  string: (value) => Buffer.from(value as string),
};

/** A text that is the same for values that are the same, and only for these. */
function keyOf(value: unknown): string {
  return typeof value === "string" ? `"${value}` : encodeValue(value).toString("latin1");
}
