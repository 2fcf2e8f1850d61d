import { inspect, types } from "node:util";
import { deserialize, EJSON, Long, serialize, type Double, type Int32 } from "bson";
import { notImplemented, serverError } from "../errors.ts";

/** A document as it is held in memory: numbers stay `Int32`, `Long` or `Double`, so that no type is lost. */
export type Document = { [field: string]: unknown };

/** Each kind's place in MongoDB's order of types. A missing value and null are the same there. */
export const ranks = {
  ...{ missing: 3, undefined: 2, null: 3, number: 4, string: 5, object: 6 },
  ...{ array: 7, binary: 8, objectId: 9, boolean: 10, date: 11 },
};

/** The kinds of values that MongoDB compares with each other. */
export type Kind = keyof typeof ranks;

/** Stands for an empty array in sort and index keys, where it comes before null (BSON's old type "undefined"). */
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

/** The kind of a decoded value; `undefined` stands for a field that is missing. Refuses types that cannot be stored. */
export function getKind(value: unknown): Kind {
  const type = typeof value;
  if (type === "string" || type === "boolean") return type;
  if (type === "symbol") return "undefined";
  if (value === undefined || value === null) return value === null ? "null" : "missing";
  if (type !== "object") throw notImplemented(`a value of type ${type}`);
  if (Array.isArray(value)) return "array";
  const bsonType = (value as { _bsontype?: unknown })._bsontype;
  // A document's own field may be called _bsontype; those of the classes are inherited.
  if (typeof bsonType !== "string" || Object.hasOwn(value, "_bsontype")) return types.isDate(value) ? "date" : "object";
  const kind = kindsOfBsonTypes[bsonType];
  if (kind === undefined) throw notImplemented(`the BSON type ${bsonType}`);
  return kind;
}

/** True for a document, not for an array or any other value. */
export function isDocument(value: unknown): value is Document {
  return getKind(value) === "object";
}

/** The field's value, or undefined when the document (or a table by names) has no such field of its own. */
export function getField<T>(document: { readonly [field: string]: T }, name: string): T | undefined {
  return Object.hasOwn(document, name) ? document[name] : undefined;
}

/** The largest document that is stored, in bytes. */
export const maxDocumentBytes = 16 * 1024 * 1024;

/** Decodes a document without changing the type of any value. */
export function decode(body: Uint8Array): Document {
  return deserialize(body, { promoteValues: false, bsonRegExp: true });
}

/** Encodes a document; the result shares no memory with others. */
export function encode(document: Document): Uint8Array {
  return serialize(document, { ignoreUndefined: true });
}

/** The exact number that a numeric value stands for: a bigint only where a double could not hold it. */
export function toNumber(value: unknown): number | bigint {
  if (!Long.isLong(value)) return (value as Int32 | Double).value;
  const approximate = value.toNumber();
  const isExact = Number.isSafeInteger(approximate) || BigInt(approximate) === value.toBigInt();
  return isExact ? approximate : value.toBigInt();
}

/** The whole number in an option named `name`; refuses others, and negative ones. */
export function parseWholeNumber(value: unknown, name: string): number {
  const number = typeof value === "object" && getKind(value) === "number" ? toNumber(value) : value;
  if (typeof number !== "number" || !Number.isInteger(number)) {
    throw serverError("TypeMismatch", `'${name}' must be a whole number, not ${toText(value)}`);
  }
  if (number >= 0) return number;
  throw serverError("Location51024", `BSON field '${name}' value must be >= 0, actual value '${number}'`);
}

/** MongoDB's reading of an option as true or false: numbers count, missing is false. */
export function toBoolean(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return getKind(value) !== "number" || toNumber(value) != 0;
}

/** A short text of a value for error messages. */
export function toText(value: unknown): string {
  return inspect(EJSON.serialize(value ?? null), { compact: true, breakLength: Number.POSITIVE_INFINITY });
}

/** Documents and arrays in one another, in a document. */
const maxDepth = 180;

/** Reads the path of a field, as `a.b.c`; refuses one that leads deeper than any document. */
export function splitPath(name: string): string[] {
  const path = name.split(".");
  if (path.length <= maxDepth + 1) return path;
  throw serverError("Overflow", `a path exceeds ${maxDepth} levels of nesting`);
}

/** Refuses a document that holds values this server cannot keep in order (Decimal128, code, invalid dates, ...). */
export function checkValues(value: unknown, depth = 0): void {
  const kind = getKind(value);
  if (kind === "array" || kind === "object") {
    if (depth > maxDepth) throw serverError("Overflow", `the document exceeds ${maxDepth} levels of nesting`);
    for (const element of Object.values(value as Document | unknown[])) checkValues(element, depth + 1);
  } else if (kind === "date" && Number.isNaN((value as Date).getTime())) {
    throw serverError("BadValue", "a date outside of the range of JavaScript dates is not supported");
  }
}
