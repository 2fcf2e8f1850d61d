import { compareValues } from "./comparison.ts";
import { notImplemented, serverError } from "./errors.ts";
import { rowsOf, type IndexField } from "./index-keys.ts";
import { isDocument, kindOf, numberOf, type Document } from "./values.ts";

/** One field of a sort: its path and the direction. */
export type SortField = IndexField;

/** Compares the sort keys of two documents. */
export function compareBySort(sort: readonly SortField[], left: readonly unknown[], right: readonly unknown[]): number {
  for (let at = 0; at < sort.length; at++) {
    const order = compareValues(left[at], right[at]);
    if (order !== 0) return order * (sort[at] as SortField).direction;
  }
  return 0;
}

/** The values by which a document is sorted, one a sort field: of the rows an index would have, the one that comes first. */
export function sortKeyOf(sort: readonly SortField[], document: Document): readonly unknown[] {
  const { rows } = rowsOf(sort, document);
  return rows.reduce((first, row) => (compareBySort(sort, row, first) < 0 ? row : first));
}

/** Reads a sort specification; refuses everything but 1 and -1 for named fields. */
export function parseSort(specification: unknown): SortField[] {
  if (!isDocument(specification)) throw serverError("TypeMismatch", "a sort must be a document");
  return Object.keys(specification).map((name) => {
    const value = specification[name];
    const direction = kindOf(value) === "number" ? Number(numberOf(value)) : undefined;
    if (name.startsWith("$") || direction === undefined) throw notImplemented(`a sort by ${name} other than 1 or -1`);
    const path = name.split(".");
    if (path.some((part) => /^\d+$/.test(part))) throw notImplemented(`a sort by a place in an array (${name})`);
    if (direction !== 1 && direction !== -1) throw serverError("BadValue", "$sort key ordering must be 1 or -1");
    return { name, path, direction };
  });
}
