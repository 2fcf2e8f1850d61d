import { Buffer } from "node:buffer";
import type { Binary, BSONRegExp, ObjectId, Timestamp } from "bson";
import { kindOf, numberOf, ranks, type Document, type Kind } from "./values.ts";

/** What `compareValues` uses for order between kinds; a missing field ranks with null. */
function rankOf(kind: Kind): number {
  return kind === "missing" ? ranks.null : ranks[kind];
}

/**
 * Compares two values in MongoDB's order (manual, "Comparison/Sort Order"): negative, zero or positive.
 * Numbers compare by their exact value whatever their type, strings by their UTF-8 bytes, arrays element by element,
 * documents field by field: first the kind of the value, then the name, then the value.
 * Agrees with the byte order of `encodeValue`.
 */
export function compareValues(left: unknown, right: unknown): number {
  const leftKind = kindOf(left);
  const rightKind = kindOf(right);
  const byKind = rankOf(leftKind) - rankOf(rightKind);
  if (byKind !== 0) return byKind;
  switch (leftKind) {
    case "number":
      return compareNumbers(numberOf(left), numberOf(right));
    case "string":
      return compareStrings(left as string, right as string);
    case "object":
      return compareDocuments(left as Document, right as Document);
    case "array":
      return compareArrays(left as unknown[], right as unknown[]);
    case "binary":
      return compareBinaries(left as Binary, right as Binary);
    case "objectId":
      return Buffer.compare((left as ObjectId).id, (right as ObjectId).id);
    case "boolean":
      return Number(left) - Number(right);
    case "date":
      return Math.sign((left as Date).getTime() - (right as Date).getTime());
    case "timestamp":
      return (left as Timestamp).compare(right as Timestamp);
    case "regex":
      return compareExpressions(left as BSONRegExp, right as BSONRegExp);
    default:
      return 0;
  }
}

/** True when both are the same for MongoDB: `1` and `1.0` are, documents with another order of fields are not. */
export function sameValue(left: unknown, right: unknown): boolean {
  return compareValues(left, right) === 0;
}

/** Exact order of numbers; NaN comes first and equals itself. */
export function compareNumbers(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  if (left > right) return 1;
  if (left == right) return 0;
  return Number(Number.isNaN(right)) - Number(Number.isNaN(left));
}

/** Order by UTF-8 bytes, which is the order of code points. */
export function compareStrings(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a === b) continue;
    // Only a surrogate (half of a code point above U+FFFF) can be out of place among UTF-16 units.
    const aIsHalf = a >= 0xd800 && a <= 0xdfff;
    const bIsHalf = b >= 0xd800 && b <= 0xdfff;
    return aIsHalf === bIsHalf ? a - b : aIsHalf ? 1 : -1;
  }
  return left.length - right.length;
}

function compareDocuments(left: Document, right: Document): number {
  const leftNames = Object.keys(left);
  const rightNames = Object.keys(right);
  for (let at = 0; at < leftNames.length && at < rightNames.length; at++) {
    const leftName = leftNames[at] as string;
    const rightName = rightNames[at] as string;
    const byKind = rankOf(kindOf(left[leftName])) - rankOf(kindOf(right[rightName]));
    if (byKind !== 0) return byKind;
    const byName = compareStrings(leftName, rightName);
    if (byName !== 0) return byName;
    const byValue = compareValues(left[leftName], right[rightName]);
    if (byValue !== 0) return byValue;
  }
  return leftNames.length - rightNames.length;
}

function compareArrays(left: unknown[], right: unknown[]): number {
  for (let at = 0; at < left.length && at < right.length; at++) {
    const order = compareValues(left[at], right[at]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareBinaries(left: Binary, right: Binary): number {
  return (
    left.position - right.position || left.sub_type - right.sub_type || Buffer.compare(left.value(), right.value())
  );
}

function compareExpressions(left: BSONRegExp, right: BSONRegExp): number {
  return compareStrings(left.pattern, right.pattern) || compareStrings(left.options, right.options);
}
