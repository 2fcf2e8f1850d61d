import { inspect, types } from "node:util";
import { deserialize, EJSON, Long, serialize, type Double, type Int32 } from "bson";
import { notImplemented, serverError } from "../errors.ts";

/** A document in memory. Numbers stay `Int32`, `Long` or `Double`, so that no type is lost. */
export type Document = { [field: string]: unknown };

/** The position of each type in MongoDB's order of types. A missing value and null have the same position. */
export const ranks = {
  ...{ missing: 3, undefined: 2, null: 3, number: 4, string: 5, object: 6 },
  ...{ array: 7, binary: 8, objectId: 9, boolean: 10, date: 11 },
};

/** The types of values that MongoDB compares with each other. */
export type Kind = keyof typeof ranks;

/** Represents an empty array in sort and index keys, where it comes before null (BSON's deprecated type "undefined"). */
export const undefinedValue = Symbol("undefined");

/** The BSON types of values that can be stored, by MongoDB's aliases for `$type`. */
export const valueTypes: readonly string[] = [
  "double",
  "string",
  "object",
  "array",
  "binData",
  "objectId",
  "bool",
  "date",
  "null",
  "int",
  "long",
];

const kindsOfBsonTypes: { readonly [bsonType: string]: Kind } = {
  ...{ Int32: "number", Long: "number", Double: "number", ObjectId: "objectId", Binary: "binary" },
};

/** Returns the type of a decoded value, where `undefined` is a missing field. Rejects types that cannot be stored. */
export function getKind(value: unknown): Kind {
  const type = typeof value;
  if (type === "string" || type === "boolean") return type;
  if (type === "symbol") return "undefined";
  if (value === undefined || value === null) return value === null ? "null" : "missing";
  if (type !== "object") throw notImplemented(`a value of type ${type}`);
  if (Array.isArray(value)) return "array";
  const bsonType = (value as { _bsontype?: unknown })._bsontype;
  // A document may have a field named _bsontype. The property of BSON classes is inherited.
  if (typeof bsonType !== "string" || Object.hasOwn(value, "_bsontype")) return types.isDate(value) ? "date" : "object";
  const kind = kindsOfBsonTypes[bsonType];
  if (kind === undefined) throw notImplemented(`the BSON type ${bsonType}`);
  return kind;
}

/** Returns true for a document, but not for an array or another value. */
export function isDocument(value: unknown): value is Document {
  return getKind(value) === "object";
}

/** Returns the value of a field, or undefined if the document, or a table by names, has no such own property. */
export function getField<T>(document: { readonly [field: string]: T }, name: string): T | undefined {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

/** The maximum size of a stored document, in bytes. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** Decodes a document without changing the type of any value. */
export function decode(body: Uint8Array): Document {
  return deserialize(body, { promoteValues: false, bsonRegExp: true });
}

/** The size of the buffer of the function `serialize`, which cuts a text off at its end and then throws a RangeError. */
const maxEncodedBytes = 17 * 1024 * 1024;

/** Encodes a document. The result shares no memory with other buffers. Throws BSONObjectTooLarge if it has more than 17 MiB. */
export function encode(document: Document): Uint8Array {
  let body: Uint8Array | undefined;
  try {
    body = serialize(document, { ignoreUndefined: true });
  } catch (error) {
    if ((error as Error).name !== "RangeError") throw error;
  }
  if (body !== undefined && body.length <= maxEncodedBytes) return body;
  throw serverError("BSONObjectTooLarge", `a document of more than ${maxEncodedBytes} bytes`);
}

/** Returns the exact number of a numeric value, as a bigint only if a double cannot represent it. */
export function toNumber(value: unknown): number | bigint {
  if (!Long.isLong(value)) return (value as Int32 | Double).value;
  const approximate = value.toNumber();
  const isExact = Number.isSafeInteger(approximate) || BigInt(approximate) === value.toBigInt();
  return isExact ? approximate : value.toBigInt();
}

/** Parses a nonnegative integer in the option `name`. Rejects other values. */
export function parseWholeNumber(value: unknown, name: string): number {
  const number = typeof value === "object" && getKind(value) === "number" ? toNumber(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    throw serverError("TypeMismatch", `'${name}' must be a whole number, not ${toText(value)}`);
  }
  if (number >= 0) return number;
  throw serverError("Location51024", `BSON field '${name}' value must be >= 0, actual value '${number}'`);
}

/** Converts an option to a boolean like MongoDB: numbers are allowed, and a missing value is false. */
export function toBoolean(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return getKind(value) !== "number" || toNumber(value) != 0;
}

/** Returns a short text of a value for error messages. */
export function toText(value: unknown): string {
  return inspect(EJSON.serialize(value ?? null), { compact: true, breakLength: Number.POSITIVE_INFINITY });
}

/** The maximum depth of nested documents and arrays. */
const maxDepth = 180;

/** Splits the path of a field, such as `a.b.c`. Rejects one that is deeper than any document. */
export function splitPath(name: string): string[] {
  const path = name.split(".");
  if (path.length <= maxDepth + 1) return path;
  throw serverError("Overflow", `a path exceeds ${maxDepth} levels of nesting`);
}

/** Rejects a document with values that this server cannot order, such as Decimal128, code and invalid dates. */
export function checkValues(value: unknown, depth = 0): void {
  const kind = getKind(value);
  if (kind === "array" || kind === "object") {
    if (depth > maxDepth) throw serverError("Overflow", `the document exceeds ${maxDepth} levels of nesting`);
    for (const element of Object.values(value as Document | unknown[])) checkValues(element, depth + 1);
  } else if (kind === "date" && Number.isNaN((value as Date).getTime())) {
    throw serverError("BadValue", "a date outside of the range of JavaScript dates is not supported");
  }
}
