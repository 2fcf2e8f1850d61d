import { compareValues } from "./comparison.ts";
import { notImplemented, serverError } from "./errors.ts";
import { isDocument, kindOf, numberOf, undefinedValue, type Document } from "./values.ts";

/** One field of a sort: its path and the direction. */
export interface SortField {
  readonly path: readonly string[];
  readonly name: string;
  readonly direction: 1 | -1;
}

/** Compares documents by a sort specification, as MongoDB does: an array counts as its least or greatest element. */
export function compareBySort(sort: readonly SortField[], left: readonly unknown[], right: readonly unknown[]): number {
  for (let at = 0; at < sort.length; at++) {
    const order = compareValues(left[at], right[at]);
    if (order !== 0) return order * (sort[at] as SortField).direction;
  }
  return 0;
}

/** The values by which a document is sorted, one a sort field. */
export function sortKeyOf(sort: readonly SortField[], document: Document): unknown[] {
  return sort.map(({ path, direction }) => {
    const candidates: unknown[] = [];
    collect(document, path, 0, candidates);
    return candidates.reduce((best, value) => (compareValues(value, best) * direction < 0 ? value : best));
  });
}

function collect(value: unknown, path: readonly string[], depth: number, found: unknown[]): void {
  if (depth === path.length) {
    if (!Array.isArray(value)) found.push(value ?? null);
    else if (value.length === 0) found.push(undefinedValue);
    else found.push(...value);
    return;
  }
  const name = path[depth] as string;
  if (isDocument(value)) {
    collect(Object.hasOwn(value, name) ? value[name] : undefined, path, depth + 1, found);
  } else if (Array.isArray(value) && depth > 0) {
    const before = found.length;
    for (const element of value) if (isDocument(element)) collect(element, path, depth, found);
    if (/^\d+$/.test(name) && Number(name) < value.length) collect(value[Number(name)], path, depth + 1, found);
    if (found.length === before) found.push(null);
  } else {
    found.push(null);
  }
}

/** Reads a sort specification; refuses everything but 1 and -1 for named fields. */
export function parseSort(specification: unknown): SortField[] {
  if (!isDocument(specification)) throw serverError("TypeMismatch", "a sort must be a document");
  return Object.keys(specification).map((name) => {
    const value = specification[name];
    const direction = kindOf(value) === "number" ? Number(numberOf(value)) : undefined;
    if (name.startsWith("$") || direction === undefined) throw notImplemented(`a sort by ${name} other than 1 or -1`);
    if (direction !== 1 && direction !== -1) throw serverError("BadValue", "$sort key ordering must be 1 or -1");
    return { name, path: name.split("."), direction };
  });
}
