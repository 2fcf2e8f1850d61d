import { Buffer } from "node:buffer";
import { parseFields } from "./index-definition.ts";
import { indexKeysOf, type IndexField } from "./index-keys.ts";
import type { Document } from "./values.ts";

/** One field of a sort: its path and the direction. */
export type SortField = IndexField;

/** A document's place in a sort, in byte order: of the keys that an index would have, the first one. */
export function sortKeyOf(sort: readonly SortField[], document: Document): Buffer {
  return indexKeysOf(sort, document).keys.reduce((first, key) => (Buffer.compare(key, first) < 0 ? key : first));
}

/** Reads a sort specification. */
export function parseSort(specification: unknown): SortField[] {
  return parseFields("a sort", specification);
}
