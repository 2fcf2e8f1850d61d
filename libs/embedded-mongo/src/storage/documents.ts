import { Buffer } from "node:buffer";
import type { Catalog, Collection, Index } from "./catalog.ts";
import { serverError } from "../errors.ts";
import { createFieldKeys, getIndexKeys } from "../indexes/index-keys.ts";
import { toStoredDocument, checkExists, type StoredDocument, type Records } from "./records.ts";
import type { Version } from "../sessions/differences.ts";
import type { Change, LockedNames, Transaction, Transactions } from "../sessions/transactions.ts";
import type { Steps, TimeSlices } from "../scheduling/time-slices.ts";
import { checkValues, encode, getField, isDocument, getKind, maxDocumentBytes, toText } from "../values/values.ts";
import type { Document } from "../values/values.ts";

/** A key that a change of a document adds to an index or removes from it. */
interface KeyChange {
  readonly index: Index;
  /** The name by which transactions lock the key. */
  readonly name: string;
  readonly key: Buffer;
  /** The values of an added key; undefined for a removed one. */
  readonly added: readonly unknown[] | undefined;
}

/** Changes documents together with their index entries, and checks conflicts and unique keys. */
export class Documents {
  readonly #catalog: Catalog;
  readonly #records: Records;
  readonly #transactions: Transactions;

  constructor(catalog: Catalog, records: Records, transactions: Transactions) {
    this.#catalog = catalog;
    this.#records = records;
    this.#transactions = transactions;
  }

  insert(transaction: Transaction | undefined, collection: Collection, document: Document): void {
    checkValues(document);
    checkId(getField(document, "_id"));
    const record = collection.nextRecord;
    this.#write(transaction, { collection, record, before: undefined, after: getVersion(document) });
    collection.nextRecord += 1;
  }

  /** Replaces a document. Returns false if nothing in it changes. */
  replace(
    transaction: Transaction | undefined,
    collection: Collection,
    found: StoredDocument,
    document: Document,
  ): boolean {
    const after = getVersion(document);
    if (Buffer.compare(after.body, found.body) === 0) return false;
    checkValues(document);
    this.#write(transaction, { collection, record: found.record, before: found, after });
    return true;
  }

  remove(transaction: Transaction | undefined, collection: Collection, found: StoredDocument): void {
    this.#write(transaction, { collection, record: found.record, before: found, after: undefined });
  }

  /**
   * Writes what a transaction changed. It may pause before the first write, while it determines the index keys, and never after it.
   * The SQLite transaction is the caller's.
   */
  *commit(transaction: Transaction, timeSlices: TimeSlices): Steps<void> {
    const prepared = new Map<Change, { readonly indexes: readonly Index[]; readonly keys: KeyChange[] }>();
    for (const change of transaction.changes.values()) {
      const indexes = getIndexes(change.collection);
      prepared.set(change, { indexes, keys: this.#keyChanges(change, indexes) });
      if (timeSlices.isOver) yield undefined;
    }
    for (const change of transaction.changes.values()) {
      const { indexes, keys } = prepared.get(change) ?? {};
      // An index may have been added or removed in a pause.
      const now = getIndexes(change.collection);
      const isCurrent = now.length === indexes?.length && now.every((index, at) => index === indexes[at]);
      this.#store(change, isCurrent ? keys : undefined);
    }
    this.#transactions.noteLocks(transaction);
  }

  /**
   * Adds the keys of a document, as it is now, to an index that is being built. A duplicate of a unique key is an error. Throws
   * `WaitForTransaction` if an open transaction has the same unique key.
   */
  addKeys(collection: Collection, index: Index, record: number): void {
    const body = this.#records.read(collection, record);
    if (body === undefined) return;
    const change = { collection, record, before: undefined, after: toStoredDocument(record, body) };
    const keys = this.#keyChanges(change, [index]);
    // A unique key that an open transaction adds must not exist twice when the transaction commits.
    if (index.definition.unique) this.#transactions.check(undefined, new Map(keys.map(({ name }) => [name, record])));
    this.#checkUnique(undefined, change, keys);
    this.#storeKeys(record, keys);
  }

  #write(transaction: Transaction | undefined, change: Change): void {
    checkExists(change.collection);
    const keys = this.#keyChanges(change);
    const names = getLockedNames(change, keys);
    this.#transactions.check(transaction, names);
    this.#checkUnique(transaction, change, keys);
    if (transaction === undefined) this.#store(change, keys, names);
    else this.#transactions.hold(transaction, change, names);
  }

  #store(change: Change, keys = this.#keyChanges(change), names = getLockedNames(change, keys)): void {
    this.#records.write(change.collection, change.record, change.after?.body);
    this.#storeKeys(change.record, keys);
    if (change.collection.building.length > 0) change.collection.changed.add(change.record);
    this.#transactions.noteCommit(change, names);
  }

  #storeKeys(record: number, keys: readonly KeyChange[]): void {
    for (const { index, key, added } of keys) {
      if (added === undefined) this.#records.removeKey(index, key, record);
      else this.#records.addKey(index, key, record);
    }
  }

  #keyChanges({ collection, before, after }: Change, indexes: readonly Index[] = getIndexes(collection)): KeyChange[] {
    const changes: KeyChange[] = [];
    const oldFields = before && createFieldKeys(before.document());
    const newFields = after && createFieldKeys(after.document());
    for (const index of indexes) {
      const old = getIndexKeys(index.definition, oldFields);
      const now = getIndexKeys(index.definition, newFields);
      this.#catalog.markMultikey(index, now.multikey);
      const getName = (text: string): string => `key ${index.id}:${text}`;
      for (const [text, { key }] of old.keys) {
        if (!now.keys.has(text)) changes.push({ index, name: getName(text), key, added: undefined });
      }
      for (const [text, { key, values }] of now.keys) {
        if (!old.keys.has(text)) changes.push({ index, name: getName(text), key, added: values });
      }
    }
    return changes;
  }

  #checkUnique(transaction: Transaction | undefined, { collection, record }: Change, keys: readonly KeyChange[]): void {
    for (const { index, name, key, added } of keys) {
      if (!index.definition.unique || added === undefined) continue;
      const held = transaction?.held.has(name) === true;
      const owner = held ? transaction.held.get(name) : this.#records.findOwner(index, key);
      if (owner !== undefined && owner !== record) throw duplicateKey(collection, index, added);
    }
  }
}

/** The indexes of a collection that a write must change, including those that are being built. */
function getIndexes({ indexes, building }: Collection): Index[] {
  return [...indexes, ...building];
}

function getVersion(document: Document): Version {
  const body = encode(document);
  if (body.length <= maxDocumentBytes) return { body, document: () => document };
  throw serverError("BSONObjectTooLarge", `object to insert too large. size in bytes: ${body.length}`);
}

function getLockedNames({ collection, record }: Change, keys: readonly KeyChange[]): LockedNames {
  const names = new Map<string, number | undefined>([[`record ${collection.id}:${record}`, record]]);
  for (const { index, name, added } of keys) {
    if (index.definition.unique) names.set(name, added && record);
  }
  return names;
}

function checkId(id: unknown): void {
  const kind = getKind(id);
  if (kind === "array" || kind === "missing") {
    throw serverError("InvalidIdField", `The '_id' value cannot be of type ${kind}`);
  }
  checkIdFields(id);
}

/** Rejects an ID with a field, at any depth, whose name is like that of an operator. */
function checkIdFields(value: unknown): void {
  if (Array.isArray(value)) value.forEach(checkIdFields);
  if (!isDocument(value)) return;
  for (const [name, each] of Object.entries(value)) {
    if (name.startsWith("$")) throw serverError("DollarPrefixedFieldName", `The field '${name}' of _id begins with $`);
    checkIdFields(each);
  }
}

function duplicateKey({ database, name }: Collection, { definition }: Index, values: readonly unknown[]): Error {
  const shown = values.map((value) => (typeof value === "symbol" ? null : (value ?? null)));
  const keyValue = Object.fromEntries(definition.fields.map((field, at) => [field.name, shown[at]]));
  const text = `collection: ${database}.${name} index: ${definition.name} dup key: ${toText(keyValue)}`;
  const details = { keyPattern: definition.specification["key"], keyValue };
  return serverError("DuplicateKey", `E11000 duplicate key error ${text}`, details);
}
