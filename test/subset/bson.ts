import { types } from "node:util";

/** An object that the driver sends as a document. */
export type Document = Readonly<Record<string, unknown>>;

const named: Readonly<Record<string, string>> = {
  ObjectId: "objectId",
  Binary: "binData",
  Long: "long",
  Int32: "int",
  Double: "double",
  Decimal128: "decimal",
  Timestamp: "timestamp",
  MinKey: "minKey",
  MaxKey: "maxKey",
  BSONRegExp: "regex",
  BSONSymbol: "symbol",
  Code: "javascript",
  DBRef: "dbPointer",
};

/**
 * Returns the BSON type of a value, as MongoDB's alias for `$type`. Also recognizes values of another realm, because a test's classes are
 * not those of its process.
 */
export function getBsonType(value: unknown): string {
  if (value === null || value === undefined) return "null";
  switch (typeof value) {
    case "string":
      return "string";
    case "boolean":
      return "bool";
    case "bigint":
      return "long";
    case "number":
      return Number.isInteger(value) && Object.is(value | 0, value) ? "int" : "double";
    case "object":
      break;
    default:
      return typeof value;
  }
  if (Array.isArray(value)) return "array";
  if (types.isDate(value)) return "date";
  if (types.isRegExp(value)) return "regex";
  if (ArrayBuffer.isView(value)) return "binData";
  const own: unknown = Reflect.get(value, "_bsontype");
  return typeof own === "string" ? (named[own] ?? own) : "object";
}

/** Returns whether a value is sent as a document. A Map is not recognized, see `toPlain`. */
export function isDocument(value: unknown): value is Document {
  return getBsonType(value) === "object";
}

/**
 * Returns a command with plain documents instead of Maps (the driver's sorts) and of values with `toBSON`. What contains none of them is not
 * copied: every command of a test run passes through here.
 */
export function toPlain(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    let plain: unknown[] = value;
    for (let index = 0; index < value.length; index += 1) {
      const each = toPlain(value[index]);
      if (each === value[index]) continue;
      if (plain === value) plain = Array.from(value);
      plain[index] = each;
    }
    return plain;
  }
  if (getBsonType(value) !== "object") return value;
  if (types.isMap(value)) return Object.fromEntries([...value].map(([name, each]) => [name, toPlain(each)]));
  const toBSON: unknown = Reflect.get(value, "toBSON");
  if (typeof toBSON === "function") return toPlain(toBSON.call(value));
  const fields = value as Document;
  let plain: Record<string, unknown> = fields;
  for (const name of Object.keys(fields)) {
    const each = toPlain(fields[name]);
    if (each === fields[name]) continue;
    if (plain === fields) plain = { ...fields };
    plain[name] = each;
  }
  return plain;
}
