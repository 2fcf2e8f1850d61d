import { Buffer } from "node:buffer";
import { serverError, type CodeName } from "./errors.ts";
import type { IndexDefinition } from "./index-definition.ts";
import { encodeValue, inverted } from "./key-encoding.ts";
import { fieldOf, isDocument, undefinedValue, type Document } from "./values.ts";

/** One field of an index or of a sort: its path and the direction. */
export interface IndexField {
  readonly name: string;
  readonly path: readonly string[];
  readonly direction: 1 | -1;
}

/** The keys of one document in one index. */
export interface IndexKeys {
  /** By their bytes as text: the bytes and the values behind them. */
  readonly keys: ReadonlyMap<string, { readonly key: Buffer; readonly values: readonly unknown[] }>;
  /** For each field: whether its path meets an array in this document. */
  readonly multikey: readonly boolean[];
}

/** The keys of a document in an index; none when there is no document, or the index leaves it out (partial, sparse). */
export function keysInIndex({ fields, partial, sparse }: IndexDefinition, document: Document | undefined): IndexKeys {
  if (document === undefined || partial?.matches(document) === false) return { keys: new Map(), multikey: [] };
  const { rows, multikey } = rowsOf(fields, document);
  const present = !sparse || rows.flat().some((value) => value !== undefined);
  const keys = present ? rows.map((values) => ({ key: encodeRow(fields, values), values })) : [];
  return { keys: new Map(keys.map((each) => [each.key.toString("latin1"), each])), multikey };
}

/** A document's place in a sort, in byte order: of the keys that an index would have, the first one. */
export function sortKeyOf(sort: readonly IndexField[], document: Document): Buffer {
  const keys = rowsOf(sort, document, "BadValue").rows.map((values) => encodeRow(sort, values));
  return keys.reduce((first, key) => (Buffer.compare(key, first) < 0 ? key : first));
}

/**
 * The values of a document under some fields, one row for each key: every element of an array gives one, an empty array
 * counts as "undefined". Two different arrays in one document are an error, as in MongoDB.
 */
function rowsOf(fields: readonly IndexField[], document: Document, fault: CodeName = "CannotIndexParallelArrays") {
  const multikey = fields.map(() => false);

  function expand(walks: readonly Walk[]): unknown[][] {
    const array = walks.find(({ rest }) => rest !== undefined)?.value as unknown[] | undefined;
    if (array === undefined) return [walks.map(({ value }) => value)];
    for (const [at, { value, rest }] of walks.entries()) {
      if (rest === undefined) continue;
      multikey[at] = true;
      if (value !== array) throw serverError(fault, "cannot index or sort by parallel arrays");
    }
    return (array.length === 0 ? [undefinedValue] : array).flatMap((element) =>
      expand(walks.map((walk) => (walk.rest === undefined ? walk : follow(element, walk.rest)))),
    );
  }

  return { rows: expand(fields.map(({ path }) => follow(document, path))), multikey };
}

function encodeRow(fields: readonly IndexField[], row: readonly unknown[]): Buffer {
  const encodings = row.map((value, at) => {
    const encoding = encodeValue(value);
    return fields[at]?.direction === -1 ? inverted(encoding) : encoding;
  });
  return Buffer.concat(encodings);
}

/** Where a path leads to: a value or, with the rest of the path, the first array on it. */
interface Walk {
  readonly value: unknown;
  readonly rest: readonly string[] | undefined;
}

/** Follows a path. An array that it begins at is an element of another one: a value like any other. */
function follow(value: unknown, [name, ...rest]: readonly string[]): Walk {
  if (name === undefined) return { value, rest: undefined };
  const next = isDocument(value) ? fieldOf(value, name) : undefined;
  return Array.isArray(next) ? { value: next, rest } : follow(next, rest);
}
