import { isDeepStrictEqual } from "node:util";
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

const known = [
  "v",
  "key",
  "name",
  "unique",
  "sparse",
  "partialFilterExpression",
  "expireAfterSeconds",
  "background",
  "ns",
];
const unsupported = [
  "collation",
  "weights",
  "default_language",
  "wildcardProjection",
  "storageEngine",
  "hidden",
  "clustered",
];

/** Reads one specification of `createIndexes`; refuses kinds and options of indexes that this server has not. */
export function parseIndex(specification: unknown): IndexDefinition {
  if (!isDocument(specification)) throw serverError("TypeMismatch", "an index must be a document");
  for (const option of Object.keys(specification)) {
    if (known.includes(option)) continue;
    if (option === "hidden" && !truthOf(specification[option])) continue;
    if (unsupported.includes(option)) throw notImplemented(`the index option ${option}`);
    throw serverError("InvalidOptions", `the index option ${option} is not known`);
  }
  const { key, name, partialFilterExpression, expireAfterSeconds } = specification;
  if (!isDocument(key) || Object.keys(key).length === 0) throw serverError("CannotCreateIndex", "an index needs a key");
  if (typeof name !== "string" || name === "") throw serverError("FailedToParse", "an index needs a name");
  const fields = Object.keys(key).map((field) => parseField(field, key[field]));
  const isId = fields.length === 1 && fields[0]?.name === "_id";
  const unique = truthOf(specification["unique"]);
  const sparse = truthOf(specification["sparse"]);
  if (isId && (sparse || partialFilterExpression !== undefined || expireAfterSeconds !== undefined)) {
    throw serverError("CannotCreateIndex", "the _id index cannot be sparse, partial or expire");
  }
  if (sparse && partialFilterExpression !== undefined) {
    throw serverError("CannotCreateIndex", 'cannot mix "partialFilterExpression" and "sparse" options');
  }
  const seconds = expireAfterSeconds === undefined ? undefined : secondsOf(expireAfterSeconds);
  if (seconds !== undefined && fields.length > 1) {
    throw serverError("CannotCreateIndex", "TTL indexes are single-field indexes, compound indexes do not support TTL");
  }
  return {
    name,
    fields,
    unique: unique || isId,
    sparse,
    partial: partialFilterExpression === undefined ? undefined : parsePartial(partialFilterExpression),
    expireAfterSeconds: seconds,
    specification: {
      v: 2,
      key,
      name,
      ...(unique && !isId ? { unique: true } : {}),
      ...(sparse ? { sparse: true } : {}),
      ...(partialFilterExpression === undefined ? {} : { partialFilterExpression }),
      ...(expireAfterSeconds === undefined ? {} : { expireAfterSeconds }),
    },
  };
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
  if (number === 0 || Number.isNaN(number)) {
    throw serverError("CannotCreateIndex", "values in an index key must be numbers other than 0");
  }
  const path = name.split(".");
  if (path.some((part) => part.includes("$"))) throw notImplemented(`an index on ${name}`);
  if (path.some((part) => part === "")) throw serverError("CannotCreateIndex", "an index key has an empty field name");
  if (path.some((part) => /^\d+$/.test(part))) throw notImplemented(`an index on a place in an array (${name})`);
  return { name, path, direction: number > 0 ? 1 : -1 };
}

function secondsOf(value: unknown): number {
  const seconds = kindOf(value) === "number" ? Number(numberOf(value)) : Number.NaN;
  if (!(seconds >= 0 && seconds <= 2147483647)) {
    throw serverError("CannotCreateIndex", "expireAfterSeconds must be a number from 0 to 2147483647");
  }
  return seconds;
}

function parsePartial(source: unknown): IndexDefinition["partial"] {
  if (!isDocument(source)) throw serverError("CannotCreateIndex", "partialFilterExpression must be a document");
  const filter = parseFilter(source);
  checkPartial(filter);
  return { filter, matches: compileFilter(filter), source };
}

function checkPartial(filter: Filter): void {
  if (filter.kind === "and") filter.parts.forEach(checkPartial);
  else if (filter.kind !== "compare" && filter.kind !== "exists") {
    throw notImplemented(`"${filter.kind}" in a partialFilterExpression`);
  }
}
