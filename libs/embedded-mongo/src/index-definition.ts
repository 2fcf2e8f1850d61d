import { isDeepStrictEqual } from "node:util";
import { conditionsOf } from "./bounds.ts";
import { notImplemented, serverError } from "./errors.ts";
import { parseFilter, type Filter } from "./filter.ts";
import type { IndexField } from "./index-keys.ts";
import { compileFilter, type Matcher } from "./matcher.ts";
import { encode, isDocument, kindOf, numberOf, truthOf, type Document } from "./values.ts";

/** An index specification that was read and checked. */
export interface IndexDefinition {
  readonly name: string;
  readonly fields: readonly IndexField[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partial: { readonly filter: Filter; readonly matches: Matcher; readonly source: Document } | undefined;
  /** Seconds after which documents expire, counted from the indexed date. */
  readonly expireAfterSeconds: number | undefined;
  /** As `listIndexes` shows it. */
  readonly specification: Document;
}

const known = "v key name unique sparse partialFilterExpression expireAfterSeconds background ns".split(" ");
const unsupported = "collation weights default_language wildcardProjection storageEngine hidden clustered".split(" ");

/** Reads one specification of `createIndexes`; refuses kinds and options of indexes that this server has not. */
export function parseIndex(given: unknown): IndexDefinition {
  if (!isDocument(given)) throw serverError("TypeMismatch", "an index must be a document");
  for (const option of Object.keys(given)) {
    if (known.includes(option) || (option === "hidden" && !truthOf(given[option]))) continue;
    if (unsupported.includes(option)) throw notImplemented(`the index option ${option}`);
    throw serverError("InvalidOptions", `the index option ${option} is not known`);
  }
  const { key, name, partialFilterExpression, expireAfterSeconds } = given;
  if (!isDocument(key) || Object.keys(key).length === 0) throw cannotCreate("an index needs a key");
  if (typeof name !== "string" || name === "") throw serverError("FailedToParse", "an index needs a name");
  if (name === "*") throw serverError("BadValue", "The index name '*' is not valid.");
  for (const option of ["unique", "sparse"]) {
    const kind = kindOf(given[option]);
    if (kind === "missing" || kind === "boolean" || kind === "number") continue;
    throw serverError("TypeMismatch", `The index option ${option} must be true or false`);
  }
  const fields = Object.keys(key).map((field) => parseField(field, key[field]));
  const [isPartial, expires] = [partialFilterExpression !== undefined, expireAfterSeconds !== undefined];
  const isId = fields.length === 1 && fields[0]?.name === "_id";
  const sparse = truthOf(given["sparse"]);
  if (isId && (sparse || isPartial || expires)) throw cannotCreate("the _id index cannot be sparse, partial or expire");
  if (sparse && isPartial) throw cannotCreate('cannot mix "partialFilterExpression" and "sparse" options');
  if (expires && fields.length > 1) {
    throw cannotCreate("TTL indexes are single-field indexes, compound indexes do not support TTL");
  }
  const unique = truthOf(given["unique"]);
  return {
    name,
    fields,
    unique: unique || isId,
    sparse,
    partial: isPartial ? parsePartial(partialFilterExpression) : undefined,
    expireAfterSeconds: expires ? secondsOf(expireAfterSeconds) : undefined,
    specification: {
      v: 2,
      key,
      name,
      ...(unique && !isId ? { unique } : {}),
      ...(sparse ? { sparse } : {}),
      ...(isPartial ? { partialFilterExpression } : {}),
      ...(expires ? { expireAfterSeconds } : {}),
    },
  };
}

/** Reads the path of an indexed or sorted field; refuses those that name a place in an array. */
export function parsePath(name: string, what: string): string[] {
  const path = name.split(".");
  if (path.some((part) => /^\d+$/.test(part))) throw notImplemented(`${what} a place in an array (${name})`);
  return path;
}

/** True when both definitions are the same but for their names. */
export function sameDefinition(left: IndexDefinition, right: IndexDefinition): boolean {
  const [a, b] = [left, right].map(({ specification }) => encode({ ...specification, name: "" }));
  return isDeepStrictEqual(a, b);
}

/** True when both have the same fields in the same order and directions. */
export function sameKey(left: IndexDefinition, right: IndexDefinition): boolean {
  const [a, b] = [left, right].map(({ fields }) => fields.map(({ name, direction }) => `${name}:${direction}`).join());
  return a === b;
}

function parseField(name: string, value: unknown): IndexField {
  if (typeof value === "string") throw notImplemented(`an index of type "${value}"`);
  const number = kindOf(value) === "number" ? Number(numberOf(value)) : 0;
  if (number === 0 || Number.isNaN(number)) throw cannotCreate("values in an index key must be numbers other than 0");
  const path = parsePath(name, "an index on");
  if (name.includes("$")) throw notImplemented(`an index on ${name}`);
  if (path.includes("")) throw cannotCreate("an index key has an empty field name");
  return { name, path, direction: number > 0 ? 1 : -1 };
}

function secondsOf(value: unknown): number {
  const seconds = kindOf(value) === "number" ? Number(numberOf(value)) : Number.NaN;
  if (seconds >= 0 && seconds <= 2147483647) return seconds;
  throw cannotCreate("expireAfterSeconds must be a number from 0 to 2147483647");
}

function parsePartial(source: unknown): IndexDefinition["partial"] {
  if (!isDocument(source)) throw cannotCreate("partialFilterExpression must be a document");
  const filter = parseFilter(source);
  for (const { kind } of conditionsOf(filter)) {
    if (kind !== "compare" && kind !== "exists") throw notImplemented(`"${kind}" in a partialFilterExpression`);
  }
  return { filter, matches: compileFilter(filter), source };
}

function cannotCreate(message: string): Error {
  return serverError("CannotCreateIndex", message);
}
