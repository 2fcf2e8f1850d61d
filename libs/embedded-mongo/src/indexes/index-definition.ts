import { Int32 } from "bson";
import { getConditions } from "../query/bounds.ts";
import { checkFields, notImplemented, serverError } from "../errors.ts";
import { parseFilter, type Filter } from "../query/filter.ts";
import { isSameValue } from "../values/key-encoding.ts";
import { compileFilter, type Matcher } from "../query/matcher.ts";
import { isDocument, getKind, toNumber, splitPath, toText, type Document } from "../values/values.ts";

/** A field of an index or a sort: its path and its direction. */
export interface IndexField {
  readonly name: string;
  readonly path: readonly string[];
  readonly direction: 1 | -1;
}

/** A parsed index specification. */
export interface IndexDefinition {
  readonly name: string;
  readonly fields: readonly IndexField[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial: { readonly filter: Filter; readonly matches: Matcher } | undefined;
  /** The number of seconds after which documents expire, counted from the indexed date. */
  readonly expireAfterSeconds: number | undefined;
  /** The specification that `listIndexes` returns. */
  readonly specification: Document;
}

/** The options of an index that the server supports. */
export const indexOptions: readonly string[] = [
  "v",
  "key",
  "name",
  "unique",
  "sparse",
  "partialFilterExpression",
  "expireAfterSeconds",
  "background",
];

/** The types of indexes that the server supports. */
export const indexKinds: readonly string[] = ["single", "compound", "multikey", "unique", "sparse", "partial", "TTL"];

/** The directions of a field in an index or in a sort. */
export const directions = [1, -1] as const;

/** Parses an index specification of `createIndexes`. Rejects unsupported types and options. */
export function parseIndex(given: unknown): IndexDefinition {
  if (!isDocument(given)) throw serverError("TypeMismatch", "an index must be a document");
  checkFields("an index", given, indexOptions);
  const { key, unique = false, sparse = false, partialFilterExpression: source, expireAfterSeconds } = given;
  const fields = parseFields("an index", key);
  if (fields.length === 0) throw cannotCreate("an index needs a key");
  const isId = isSameValue(key, { _id: new Int32(1) });
  const name = isId ? "_id_" : given["name"];
  if (typeof name !== "string" || name === "") throw serverError("FailedToParse", "an index needs a name");
  if (name === "*") throw serverError("BadValue", "The index name '*' is not valid.");
  if (typeof unique !== "boolean" || typeof sparse !== "boolean") {
    throw serverError("TypeMismatch", "the index options unique and sparse must be true or false");
  }
  if (sparse && source !== undefined) throw cannotCreate("an index cannot be both sparse and partial");
  if (expireAfterSeconds !== undefined && fields.length > 1) {
    throw cannotCreate("TTL indexes are single-field indexes, compound indexes do not support TTL");
  }
  return {
    name,
    fields,
    unique: unique || isId,
    sparse,
    partial: source === undefined ? undefined : parsePartial(source),
    expireAfterSeconds: expireAfterSeconds === undefined ? undefined : getSeconds(expireAfterSeconds),
    specification: {
      v: new Int32(2),
      key,
      name,
      ...(unique && !isId && { unique }),
      ...("background" in given && !isId && { background: given["background"] }),
      ...(sparse && { sparse }),
      ...(source !== undefined && { partialFilterExpression: source }),
      ...(expireAfterSeconds !== undefined && { expireAfterSeconds }),
    },
  };
}

/** Parses the fields of an index or a sort. Rejects invalid paths, and directions other than 1 and -1. */
export function parseFields(what: string, fields: unknown): IndexField[] {
  if (!isDocument(fields)) throw serverError("TypeMismatch", `${what} needs a document of fields`);
  return Object.entries(fields).map(([name, value]) => {
    const path = splitPath(name);
    const number = getKind(value) === "number" ? Number(toNumber(value)) : 0;
    const direction = directions.find((each) => each === number);
    if (direction !== undefined && isPathOfNames(path)) return { name, path, direction };
    throw notImplemented(`${what} by { ${name}: ${toText(value)} }`);
  });
}

/** Returns whether a path consists of names alone, and not of positions in arrays. Only such a path can be indexed. */
export function isPathOfNames(path: readonly string[]): boolean {
  return !path.some((part) => /^\d*$|^\$/.test(part));
}

function getSeconds(value: unknown): number {
  const seconds = getKind(value) === "number" ? Number(toNumber(value)) : Number.NaN;
  if (seconds >= 0 && seconds <= 2147483647) return seconds;
  throw cannotCreate("expireAfterSeconds must be a number from 0 to 2147483647");
}

function parsePartial(source: unknown): IndexDefinition["partial"] {
  const filter = parseFilter(source);
  for (const { kind } of getConditions(filter)) {
    if (kind !== "compare" && kind !== "exists") throw notImplemented(`"${kind}" in a partialFilterExpression`);
  }
  return { filter, matches: compileFilter(filter) };
}

function cannotCreate(message: string): Error {
  return serverError("CannotCreateIndex", message);
}
