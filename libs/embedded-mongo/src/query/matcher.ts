import { Buffer } from "node:buffer";
import { toRanges, type Range } from "./bounds.ts";
import type { Comparison, Filter, Path } from "./filter.ts";
import { encodeValue, getSetKey } from "../values/key-encoding.ts";
import { getField, isDocument, getKind, ranks } from "../values/values.ts";

/** Details of a match: the index of the matching array element, for the update operator `$`. */
export interface MatchDetails {
  position: number | undefined;
}

/** Returns true if a document matches, or a value of an array. */
export type Matcher = (value: unknown, details?: MatchDetails) => boolean;

/** Compiles a filter to a function. Arrays and null are treated as described in MongoDB's manual, "Query Documents". */
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
    case "compare": {
      const { path, operator, operands } = filter;
      return atEnd(path, path.length === 0 ? "itself" : "both", comparisonTest(operator, operands));
    }
    case "exists":
      return atEnd(filter.path, "itself", (value) => value !== undefined);
    case "elements": {
      const part = compileFilter(filter.part);
      // In $elemMatch, an array is treated as a document whose field names are the indexes.
      const ofDocuments: Matcher = (value) =>
        Array.isArray(value) ? part({ ...value }) : isDocument(value) && part(value);
      return atEnd(filter.path, "elements", filter.ofDocuments ? ofDocuments : part);
    }
  }
}

/** Tests the values at the end of a path. For an array, tests the array itself, its elements, or first the elements and then the array. */
function atEnd(path: Path, ends: "itself" | "elements" | "both", test: (value: unknown) => boolean): Matcher {
  return (root, details) => {
    /** The depths at which arrays were searched in vain: with positions in the path, one may be reached in many ways. */
    let searched: Map<unknown[], Set<number>> | undefined;
    function found(value: unknown, position: number | undefined): boolean {
      if (!test(value)) return false;
      if (details !== undefined && position !== undefined) details.position = position;
      return true;
    }
    /** `position` is the index in the outermost array on the path. */
    function walk(value: unknown, depth: number, position: number | undefined): boolean {
      if (depth === path.length) {
        const elements = ends !== "itself" && Array.isArray(value) ? value : [];
        if (elements.some((element, at) => found(element, position ?? at))) return true;
        return ends !== "elements" && found(value, position);
      }
      const name = path[depth] as string;
      if (isDocument(value)) return walk(getField(value, name), depth + 1, position);
      if (!Array.isArray(value)) return ends !== "elements" && found(undefined, position);
      if (/^(0|[1-9]\d*)$/.test(name) && Number(name) < value.length) {
        const depths = (searched ??= new Map<unknown[], Set<number>>()).get(value);
        if (depths?.has(depth) === true) return false;
        if (depths === undefined) searched.set(value, new Set([depth]));
        else depths.add(depth);
        const element: unknown = value[Number(name)];
        // An array index selects the element itself: if it is an array, its elements are not tested, and a scalar has no fields.
        const isEnd = depth + 1 === path.length && ends !== "elements";
        const isContainer = Array.isArray(element) || isDocument(element);
        if (isEnd ? found(element, position) : isContainer && walk(element, depth + 1, position)) return true;
      }
      return value.some((element, at) => isDocument(element) && walk(element, depth, position ?? at));
    }
    return walk(root, 0, undefined);
  };
}

/** Creates the test of a comparison. Values of other types never match, so they are not encoded. */
function comparisonTest(operator: Comparison, operands: readonly unknown[]): (value: unknown) => boolean {
  const kinds = new Set(operands.map((operand) => ranks[getKind(operand)]));
  const test = operator === "in" ? among(operands) : within(toRanges(operator, operands));
  return (value) => kinds.has(ranks[getKind(value)]) && test(value);
}

function among(operands: readonly unknown[]): (value: unknown) => boolean {
  const wanted = new Set(operands.map(getSetKey));
  return (value) => wanted.has(getSetKey(value));
}

function within(ranges: readonly Range[]): (value: unknown) => boolean {
  return (value) => {
    const key = encodeValue(value);
    return ranges.some(({ from, to }) => Buffer.compare(key, from) >= 0 && Buffer.compare(key, to) < 0);
  };
}
