import { Buffer } from "node:buffer";
import { serverError } from "./errors.ts";
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
  /** Encoded, without duplicates. */
  readonly keys: readonly Buffer[];
  /** The values behind each of the keys. */
  readonly rows: readonly (readonly unknown[])[];
  /** For each field: whether its path meets an array in this document. */
  readonly multikey: readonly boolean[];
  /** False when the document has none of the fields. */
  readonly anyField: boolean;
}

/**
 * Takes a document's keys out of it: missing fields count as null, every element of an array gives a key, an empty array
 * counts as "undefined". Two different arrays in one compound index are an error, as in MongoDB.
 */
export function indexKeysOf(fields: readonly IndexField[], document: Document): IndexKeys {
  const multikey = fields.map(() => false);
  const rows: unknown[][] = [];
  let anyField = false;

  function expand(walks: readonly Walk[]): void {
    const array = walks.find(({ rest }) => rest !== undefined)?.value as unknown[] | undefined;
    walks.forEach(({ value, rest }, at) => {
      if (value !== undefined && value !== undefinedValue) anyField = true;
      if (rest === undefined) return;
      multikey[at] = true;
      if (value !== array) throw serverError("CannotIndexParallelArrays", "cannot index parallel arrays");
    });
    if (array === undefined) rows.push(walks.map(({ value }) => value ?? null));
    for (const element of array?.length === 0 ? [undefinedValue] : (array ?? [])) {
      expand(walks.map((walk) => (walk.rest === undefined ? walk : follow(element, walk.rest))));
    }
  }

  expand(fields.map(({ path }) => follow(document, path)));
  const [only] = rows;
  if (rows.length === 1 && only !== undefined) return { keys: [encodeRow(fields, only)], rows, multikey, anyField };
  const distinct = new Map<string, { key: Buffer; row: unknown[] }>();
  for (const row of rows) {
    const key = encodeRow(fields, row);
    distinct.set(key.toString("latin1"), { key, row });
  }
  const found = [...distinct.values()];
  return { keys: found.map(({ key }) => key), rows: found.map(({ row }) => row), multikey, anyField };
}

function encodeRow(fields: readonly IndexField[], row: readonly unknown[]): Buffer {
  const encodings = row.map((value, at) => {
    const encoding = encodeValue(value);
    return fields[at]?.direction === -1 ? inverted(encoding) : encoding;
  });
  return encodings.length === 1 ? (encodings[0] as Buffer) : Buffer.concat(encodings);
}

/** Where a path leads to: a value or, with the rest of the path, the first array on it. */
interface Walk {
  readonly value: unknown;
  readonly rest: readonly string[] | undefined;
}

/** Follows a path. An array that it begins at is an element of another one: a value like any other. */
function follow(source: unknown, path: readonly string[]): Walk {
  let value = source;
  for (let depth = 0; depth <= path.length; depth++) {
    if (depth > 0 && Array.isArray(value)) return { value, rest: path.slice(depth) };
    if (depth === path.length) break;
    value = isDocument(value) ? fieldOf(value, path[depth] as string) : undefined;
  }
  return { value, rest: undefined };
}
