import { Buffer } from "node:buffer";
import { notImplemented, serverError } from "./errors.ts";
import { parsePath } from "./index-definition.ts";
import { indexKeysOf, type IndexField } from "./index-keys.ts";
import { isDocument, kindOf, numberOf, type Document } from "./values.ts";

/** One field of a sort: its path and the direction. */
export type SortField = IndexField;

/** A document's place in a sort, in byte order: of the keys that an index would have, the first one. */
export function sortKeyOf(sort: readonly SortField[], document: Document): Buffer {
  return indexKeysOf(sort, document).keys.reduce((first, key) => (Buffer.compare(key, first) < 0 ? key : first));
}

/** Reads a sort specification; refuses everything but 1 and -1 for named fields. */
export function parseSort(specification: unknown): SortField[] {
  if (!isDocument(specification)) throw serverError("TypeMismatch", "a sort must be a document");
  return Object.keys(specification).map((name) => {
    const value = specification[name];
    const direction = kindOf(value) === "number" ? Number(numberOf(value)) : undefined;
    if (name.startsWith("$") || direction === undefined) throw notImplemented(`a sort by ${name} other than 1 or -1`);
    const path = parsePath(name, "a sort by");
    if (direction !== 1 && direction !== -1) throw serverError("BadValue", "$sort key ordering must be 1 or -1");
    return { name, path, direction };
  });
}
