import { isPathOfNames } from "../indexes/index-definition.ts";
import { createFieldKeys, getIndexKeys } from "../indexes/index-keys.ts";
import type { Constraint } from "../query/bounds.ts";
import { decode, type Document } from "../values/values.ts";

/** A version of a document: its bytes, decoded on demand. */
export interface Version {
  readonly body: Uint8Array;
  document(): Document;
}

/** A version of a document that a committed change replaced; undefined if the change inserted the document. */
export interface Replaced {
  /** The number of the change. */
  readonly at: number;
  readonly record: number;
  readonly before: Uint8Array | undefined;
}

/** The records of some documents by the values that a field has in them, or has had. */
type RecordsByValue = Map<string, Set<number>>;

/** The maximum number of fields other than `_id` by which the differences of a collection can be looked up. */
const maxFields = 10;

/**
 * The differences between the documents of a collection that a transaction sees and the committed ones. They are collected while they
 * arise, because each statement of the transaction needs them.
 */
export class Differences {
  readonly #versions = new Map<number, Version | undefined>();
  /** For each field that a statement has looked up, the records by its values. */
  readonly #recordsByField = new Map<string, RecordsByValue>();
  /** The number of the last committed change that was added. */
  #added: number;

  /** `snapshot` is the number of the last committed change that the transaction sees. */
  constructor(snapshot: number) {
    this.#added = snapshot;
  }

  /** Whether the transaction sees another version of a record than the committed one. */
  has(record: number): boolean {
    return this.#versions.has(record);
  }

  /** Returns the version that the transaction sees of a record that differs; undefined if the document does not exist for it. */
  get(record: number): Version | undefined {
    return this.#versions.get(record);
  }

  /**
   * Lists the records that differ, at least those whose documents satisfy all of these constraints. A transaction that finds many documents
   * one by one does not have to look through everything that it has changed each time.
   */
  records(constraints: readonly Constraint[]): Iterable<number> {
    let fewest: Set<number> | undefined;
    for (const { field, ranges, points } of constraints) {
      const byValue = points ? this.#getRecordsBy(field) : undefined;
      if (byValue === undefined) continue;
      const found = new Set<number>();
      for (const { from } of ranges) {
        for (const record of byValue.get(from.toString("latin1")) ?? []) found.add(record);
        if (fewest !== undefined && found.size >= fewest.size) break;
      }
      if (fewest === undefined || found.size < fewest.size) fewest = found;
    }
    return fewest ?? this.#versions.keys();
  }

  /** Returns the records by the values of a field; undefined if they are not known. */
  #getRecordsBy(field: string): RecordsByValue | undefined {
    const known = this.#recordsByField.get(field);
    if (known !== undefined) return known;
    const isFull = field !== "_id" && this.#recordsByField.size >= maxFields;
    if (isFull || !isPathOfNames(field.split("."))) return undefined;
    const byValue: RecordsByValue = new Map();
    this.#recordsByField.set(field, byValue);
    for (const [record, version] of this.#versions)
      if (version !== undefined) addValues(byValue, field, record, version);
    return byValue;
  }

  /** Sets the version that the transaction sees of a record. */
  set(record: number, version: Version | undefined): void {
    this.#versions.set(record, version);
    if (version === undefined) return;
    for (const [field, byValue] of this.#recordsByField) addValues(byValue, field, record, version);
  }

  /** Adds what others have replaced since the last call. The changes are in the order of their numbers. */
  addReplaced(changes: readonly Replaced[]): void {
    let from = changes.length;
    while ((changes[from - 1]?.at ?? 0) > this.#added) from -= 1;
    for (const { at, record, before } of changes.slice(from)) {
      // The transaction sees the version before the first of these changes.
      if (!this.has(record)) this.set(record, before && { body: before, document: () => decode(before) });
      this.#added = at;
    }
  }
}

/** Adds a record under each value that an index on the field would contain. */
function addValues(byValue: RecordsByValue, name: string, record: number, version: Version): void {
  const fields = [{ name, path: name.split("."), direction: 1 as const }];
  const { keys } = getIndexKeys({ fields, partial: undefined, sparse: false }, createFieldKeys(version.document()));
  for (const value of keys.keys()) {
    const records = byValue.get(value);
    if (records === undefined) byValue.set(value, new Set([record]));
    else records.add(record);
  }
}
