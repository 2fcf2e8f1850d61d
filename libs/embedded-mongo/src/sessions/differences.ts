import { getSetKey } from "../values/key-encoding.ts";
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

/**
 * The differences between the documents of a collection that a transaction sees and the committed ones. They are collected while they
 * arise, because each statement of the transaction needs them.
 */
export class Differences {
  readonly #versions = new Map<number, Version | undefined>();
  readonly #recordsById = new Map<unknown, number[]>();
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

  /** Lists the records that differ, or those of them whose document has one of these IDs. */
  records(ids?: readonly unknown[]): number[] {
    if (ids === undefined) return [...this.#versions.keys()];
    return [...new Set(ids.map(getSetKey))].flatMap((id) => this.#recordsById.get(id) ?? []);
  }

  /** Sets the version that the transaction sees of a record. */
  set(record: number, version: Version | undefined): void {
    // The ID of a document never changes, and no two documents have the same record.
    if (version !== undefined && this.#versions.get(record) === undefined) {
      const id = getSetKey(version.document()["_id"]);
      const others = this.#recordsById.get(id);
      if (others === undefined) this.#recordsById.set(id, [record]);
      else others.push(record);
    }
    this.#versions.set(record, version);
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
