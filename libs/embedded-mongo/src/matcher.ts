import type { BSONRegExp } from "bson";
import { compareNumbers, compareValues, sameValue } from "./key-encoding.ts";
import type { Comparison, Filter, Path } from "./filter.ts";
import { fieldOf, isDocument, kindOf, numberOf, typeName, typeNumber, type Document } from "./values.ts";

/** What a match tells besides yes: the place of the array element that matched, for the update operator `$`. */
export interface MatchDetails {
  position: number | undefined;
}

/** Tells whether a document (or, inside an array, a value) matches. */
export type Matcher = (value: unknown, details?: MatchDetails) => boolean;

/** Compiles a filter to a function. Semantics of arrays and null follow MongoDB's manual, "Query Documents". */
export function compileFilter(filter: Filter): Matcher {
  switch (filter.kind) {
    case "and": {
      const parts = filter.parts.map(compileFilter);
      return (value, details) => parts.every((part) => part(value, details));
    }
    case "or": {
      const parts = filter.parts.map(compileFilter);
      return (value, details) => parts.some((part) => part(value, details));
    }
    case "nor": {
      const parts = filter.parts.map(compileFilter);
      return (value) => !parts.some((part) => part(value));
    }
    case "not": {
      const part = compileFilter(filter.part);
      return (value) => !part(value);
    }
    case "compare":
      return some(filter.path, true, comparisonTest(filter.operator, filter.operand));
    case "in": {
      const equal = filter.operands.map((operand) => comparisonTest("eq", operand));
      const { patterns } = filter;
      return some(
        filter.path,
        true,
        (value) =>
          equal.some((test) => test(value)) ||
          (typeof value === "string" && patterns.some((pattern) => pattern.test(value))),
      );
    }
    case "pattern":
      return some(filter.path, true, (value) =>
        typeof value === "string"
          ? filter.pattern.test(value)
          : kindOf(value) === "regex" &&
            (value as BSONRegExp).pattern === filter.source.pattern &&
            (value as BSONRegExp).options === filter.source.options,
      );
    case "exists":
      return some(filter.path, false, (value) => value !== undefined);
    case "type":
      return some(
        filter.path,
        true,
        (value) => value !== undefined && filter.types.some((type) => isOfType(value, type)),
      );
    case "size":
      return some(filter.path, false, (value) => Array.isArray(value) && value.length === filter.size);
    case "elements":
      return elementsMatcher(filter.path, compileFilter(filter.part), filter.ofDocuments);
  }
}

type Visit = (value: unknown, position: number | undefined) => boolean;

function some(path: Path, intoArrays: boolean, test: (value: unknown) => boolean): Matcher {
  return (root, details) =>
    visitPath(root, path, intoArrays, (value, position) => {
      if (!test(value)) return false;
      if (details !== undefined && position !== undefined) details.position = position;
      return true;
    });
}

function elementsMatcher(path: Path, part: Matcher, ofDocuments: boolean): Matcher {
  return (root, details) =>
    visitPath(root, path, false, (value, position) => {
      if (!Array.isArray(value)) return false;
      const at = value.findIndex((element) => {
        if (!ofDocuments) return part(element);
        // Inside $elemMatch an array counts as a document whose fields are its places.
        if (Array.isArray(element)) return part({ ...element });
        return isDocument(element) && part(element);
      });
      if (at < 0) return false;
      if (details !== undefined) details.position = position ?? at;
      return true;
    });
}

/** Calls `visit` with every value a path reaches (undefined for "missing") until it returns true. */
function visitPath(root: unknown, path: Path, intoArrays: boolean, visit: Visit): boolean {
  if (path.length === 0) return visit(root, undefined);
  return step(root as Document, 0, undefined);

  function step(document: Document, depth: number, position: number | undefined): boolean {
    const value = fieldOf(document, path[depth] as string);
    return depth + 1 === path.length ? end(value, position) : descend(value, depth + 1, position);
  }

  function descend(value: unknown, depth: number, position: number | undefined): boolean {
    if (isDocument(value)) return step(value, depth, position);
    if (!Array.isArray(value)) return visit(undefined, position);
    const name = path[depth] as string;
    if (/^(0|[1-9]\d*)$/.test(name) && Number(name) < value.length) {
      const element: unknown = value[Number(name)];
      // A place in an array names the element itself: its own elements are not tried, and a scalar has no fields.
      const found =
        depth + 1 === path.length
          ? visit(element, position)
          : isContainer(element) && descend(element, depth + 1, position);
      if (found) return true;
    }
    return value.some((element, at) => isDocument(element) && step(element, depth, position ?? at));
  }

  function end(value: unknown, position: number | undefined): boolean {
    if (intoArrays && Array.isArray(value) && value.some((element, at) => visit(element, position ?? at))) return true;
    return visit(value, position);
  }
}

function isContainer(value: unknown): boolean {
  return Array.isArray(value) || isDocument(value);
}

/** The test of a comparison with one value; values of another kind never match, but null matches "missing". */
function comparisonTest(operator: Comparison, operand: unknown): (value: unknown) => boolean {
  const kind = kindOf(operand);
  if (kind === "null" || kind === "missing") {
    const withEqual = operator === "eq" || operator === "gte" || operator === "lte";
    return (value) => withEqual && (value === undefined || value === null);
  }
  if (operator === "eq") {
    return typeof operand === "string" || typeof operand === "boolean"
      ? (value) => value === operand
      : (value) => sameValue(value, operand);
  }
  const wanted = { gt: [1, 1], gte: [0, 1], lt: [-1, -1], lte: [-1, 0] }[operator] as [number, number];
  if (kind === "number") {
    const number = numberOf(operand);
    return (value) => {
      if (typeof value !== "object" || kindOf(value) !== "number") return false;
      const other = numberOf(value);
      if (Number.isNaN(other) !== Number.isNaN(number)) return false;
      return within(compareNumbers(other, number), wanted);
    };
  }
  return (value) => kindOf(value) === kind && within(compareValues(value, operand), wanted);
}

function within(order: number, wanted: [number, number]): boolean {
  return Math.sign(order) >= wanted[0] && Math.sign(order) <= wanted[1];
}

function isOfType(value: unknown, type: number | "number"): boolean {
  if (type === "number") return kindOf(value) === "number";
  return typeNumber(typeName(value)) === type;
}
