import { Buffer } from "node:buffer";
import { serverError } from "./errors.ts";
import { encodeValue, inverted } from "./key-encoding.ts";
import { fieldOf, isDocument, undefinedValue, type Document } from "./values.ts";

/** One field of an index: its path and the direction. */
export interface IndexField {
  readonly name: string;
  readonly path: readonly string[];
  readonly direction: 1 | -1;
}

/** The keys of one document in one index. */
export interface IndexKeys extends Rows {
  /** Encoded, without duplicates; `rows` has the values behind each of them. */
  readonly keys: readonly Buffer[];
}

interface Walk {
  readonly value: unknown;
  readonly rest: readonly string[];
  readonly array: unknown[] | undefined;
}

/** The values of one document for a compound key: a row for each element of an array on the paths. */
export interface Rows {
  readonly rows: readonly (readonly unknown[])[];
  /** For each field: whether its path meets an array in this document. */
  readonly multikey: readonly boolean[];
  /** False when the document has none of the fields. */
  readonly anyField: boolean;
}

/** Takes a document's index keys out of it. */
export function indexKeysOf(fields: readonly IndexField[], document: Document): IndexKeys {
  const { rows, multikey, anyField } = rowsOf(fields, document);
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return { keys: [encodeRow(fields, only)], rows, multikey, anyField };
  const distinct = new Map<string, { key: Buffer; row: readonly unknown[] }>();
  for (const row of rows) {
    const key = encodeRow(fields, row);
    distinct.set(key.toString("latin1"), { key, row });
  }
  const found = [...distinct.values()];
  return { keys: found.map(({ key }) => key), rows: found.map(({ row }) => row), multikey, anyField };
}

/**
 * Takes the values of a compound key out of a document: missing fields count as null, every element of an array gives a key,
 * an empty array counts as "undefined". Two different arrays in one compound index are an error, as in MongoDB.
 */
export function rowsOf(fields: readonly IndexField[], document: Document): Rows {
  const multikey = fields.map(() => false);
  const rows: unknown[][] = [];
  let anyField = false;

  function expand(sources: readonly unknown[], paths: readonly (readonly string[] | undefined)[]): void {
    const walks = sources.map((source, at) => {
      const path = paths[at];
      return path === undefined ? { value: source, rest: [], array: undefined } : walk(source, path);
    });
    let array: unknown[] | undefined;
    walks.forEach((each, at) => {
      if (each.value !== undefined && each.value !== undefinedValue) anyField = true;
      if (each.array === undefined) return;
      multikey[at] = true;
      if (array !== undefined && array !== each.array) {
        throw serverError("CannotIndexParallelArrays", "cannot index parallel arrays");
      }
      array = each.array;
    });
    if (array === undefined) {
      rows.push(walks.map((each) => each.value ?? null));
      return;
    }
    const elements: readonly unknown[] = array.length === 0 ? [undefinedValue] : array;
    for (const element of elements) {
      expand(
        walks.map((each) => (each.array === undefined ? each.value : element)),
        walks.map((each) => (each.array === undefined || each.rest.length === 0 ? undefined : each.rest)),
      );
    }
  }

  expand(
    fields.map(() => document),
    fields.map(({ path }) => path),
  );
  return { rows, multikey, anyField };
}

/** Encodes one compound key. */
export function encodeRow(fields: readonly IndexField[], row: readonly unknown[]): Buffer {
  if (fields.length === 1 && fields[0]?.direction === 1) return encodeValue(row[0]);
  return Buffer.concat(
    row.map((value, at) => {
      const encoding = encodeValue(value);
      return fields[at]?.direction === -1 ? inverted(encoding) : encoding;
    }),
  );
}

/** Follows a path down to its value or to the first array on it. */
function walk(source: unknown, path: readonly string[]): Walk {
  let value = source;
  for (let depth = 0; ; depth++) {
    if (Array.isArray(value) && depth > 0) {
      return { value, rest: path.slice(depth), array: value };
    }
    if (depth === path.length) return { value, rest: [], array: undefined };
    if (!isDocument(value)) return { value: undefined, rest: [], array: undefined };
    value = fieldOf(value, path[depth] as string);
  }
}
