import { Buffer } from "node:buffer";
import { serverError, type CodeName } from "../errors.ts";
import type { IndexDefinition, IndexField } from "./index-definition.ts";
import { encodeValue, invertBytes } from "../values/key-encoding.ts";
import { getField, isDocument, undefinedValue, type Document } from "../values/values.ts";

/** The keys of one document in one index. */
export interface IndexKeys {
  /** The keys with their values, by the bytes of the key as a string. */
  readonly keys: ReadonlyMap<string, { readonly key: Buffer; readonly values: readonly unknown[] }>;
  /** For each field, true if there is an array on its path in this document. */
  readonly multikey: readonly boolean[];
}

/** The values and encodings of a document's fields, from which its keys in all indexes are made. */
export interface FieldKeys {
  readonly document: Document;
  /** Follows the path of a field. */
  readonly walk: (field: IndexField) => Walk;
  /** Returns the encoding of a field without an array on its path, which is a part of a key. */
  readonly encoding: (field: IndexField) => Buffer;
}

/** Finds and encodes each field of a document only once, for any number of indexes. */
export function createFieldKeys(document: Document): FieldKeys {
  const walks = new Map<string, Walk>();
  const encodings = new Map<string, Buffer>();
  const walk = ({ name, path }: IndexField): Walk => {
    let found = walks.get(name);
    if (found === undefined) walks.set(name, (found = follow(document, path)));
    return found;
  };
  return {
    document,
    walk,
    encoding(field) {
      const name = `${field.direction} ${field.name}`;
      let encoding = encodings.get(name);
      if (encoding === undefined) encodings.set(name, (encoding = encodeField(field, walk(field).value)));
      return encoding;
    },
  };
}

const noKeys: IndexKeys = { keys: new Map(), multikey: [] };

/** Returns the keys of a document in an index. There are none without a document, or if a partial or sparse index does not contain it. */
export function getIndexKeys(
  { fields, partial, sparse }: Pick<IndexDefinition, "fields" | "partial" | "sparse">,
  of: FieldKeys | undefined,
): IndexKeys {
  if (of === undefined || partial?.matches(of.document) === false) return noKeys;
  const walks = fields.map(of.walk);
  if (walks.every(({ rest }) => rest === undefined)) {
    if (sparse && walks.every(({ value }) => value === undefined)) return noKeys;
    const key = Buffer.concat(fields.map(of.encoding));
    const values = walks.map(({ value }) => value);
    return { keys: new Map([[key.toString("latin1"), { key, values }]]), multikey: [] };
  }
  const { rows, multikey } = getRows(walks);
  // A sparse index has no key for an element without any of the fields.
  const indexed = sparse ? rows.filter((values) => values.some((value) => value !== undefined)) : rows;
  const keys = indexed.map((values) => ({ key: encodeRow(fields, values), values }));
  return { keys: new Map(keys.map((each) => [each.key.toString("latin1"), each])), multikey };
}

/** Returns the sort key of a document, in byte order: the first one of the keys in a corresponding index. */
export function getSortKey(sort: readonly IndexField[], document: Document): Buffer {
  const walks = sort.map(({ path }) => follow(document, path));
  const keys = getRows(walks, "BadValue").rows.map((values) => encodeRow(sort, values));
  return keys.reduce((first, key) => (Buffer.compare(key, first) < 0 ? key : first));
}

/**
 * Returns the values of the walks, one row for each key. Every element of an array results in a row, and an empty array counts as
 * "undefined". Two different arrays in a document are an error, as in MongoDB.
 */
function getRows(given: readonly Walk[], fault: CodeName = "CannotIndexParallelArrays") {
  const multikey = given.map(() => false);

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

  return { rows: expand(given), multikey };
}

function encodeRow(fields: readonly IndexField[], row: readonly unknown[]): Buffer {
  return Buffer.concat(fields.map((field, at) => encodeField(field, row[at])));
}

function encodeField({ direction }: IndexField, value: unknown): Buffer {
  const encoding = encodeValue(value);
  return direction === -1 ? invertBytes(encoding) : encoding;
}

/** The end of a path: a value, or the first array on it with the rest of the path. */
export interface Walk {
  readonly value: unknown;
  readonly rest: readonly string[] | undefined;
}

/** Follows a path. An array at its start is an element of another array, and is treated as any other value. */
function follow(value: unknown, [name, ...rest]: readonly string[]): Walk {
  if (name === undefined) return { value, rest: undefined };
  const next = isDocument(value) ? getField(value, name) : undefined;
  return Array.isArray(next) ? { value: next, rest } : follow(next, rest);
}
