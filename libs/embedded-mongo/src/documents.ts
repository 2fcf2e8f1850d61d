import { Buffer } from "node:buffer";
import type { Catalog, Collection, Index } from "./catalog.ts";
import { serverError } from "./errors.ts";
import { indexKeysOf, type IndexKeys } from "./index-keys.ts";
import type { Found } from "./query.ts";
import type { Records } from "./records.ts";
import type { Change, Names, Transaction, Transactions, Version } from "./transactions.ts";
import { checkValues, decode, encode, fieldOf, isDocument, kindOf, largestDocument, textOf } from "./values.ts";
import type { Document } from "./values.ts";

/** What a change of a document does to one index. */
interface KeyChange {
  readonly index: Index;
  readonly removed: readonly Buffer[];
  readonly added: readonly Buffer[];
  readonly found: IndexKeys | undefined;
}

const noNames: Names = new Map();

/** Changes of documents with all that belongs to them: conflicts, unique keys, index entries. */
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
    checkId(fieldOf(document, "_id"));
    const record = collection.nextRecord;
    this.#write(transaction, { collection, record, before: undefined, after: versionOf(document) });
    collection.nextRecord += 1;
  }

  /** Replaces a document; false when nothing in it changes. */
  replace(transaction: Transaction | undefined, collection: Collection, found: Found, document: Document): boolean {
    const after = versionOf(document);
    if (Buffer.compare(after.body, found.body) === 0) return false;
    checkValues(document);
    this.#write(transaction, { collection, record: found.record, before: found, after });
    return true;
  }

  remove(transaction: Transaction | undefined, collection: Collection, found: Found): void {
    this.#write(transaction, { collection, record: found.record, before: found, after: undefined });
  }

  /** Writes what a transaction changed. The SQLite transaction is the caller's. */
  commit(transaction: Transaction): void {
    for (const change of transaction.changes.values()) {
      if (change.before !== undefined || change.after !== undefined) this.#store(change, this.#keyChanges(change));
    }
  }

  /** Fills a new index from the documents there are; a duplicate key is an error. */
  build(collection: Collection, index: Index): void {
    for (let rows, last = 0; (rows = this.#records.readRecords(collection, last, 500)).length > 0;) {
      for (const { record, body } of rows) {
        const after = { body, document: () => decode(body) };
        const change = { collection, record, before: undefined, after };
        const keys = this.#keyChange(index, change);
        this.#checkUnique(undefined, change, keys);
        this.#storeKeys(record, keys);
        last = record;
      }
    }
  }

  #write(transaction: Transaction | undefined, change: Change): void {
    const keys = this.#keyChanges(change);
    const names = this.#transactions.any ? namesOf(change, keys) : noNames;
    this.#transactions.check(transaction, names);
    for (const each of keys) this.#checkUnique(transaction, change, each);
    if (transaction === undefined) this.#store(change, keys, names);
    else this.#transactions.hold(transaction, change, names);
  }

  #store(change: Change, keys: readonly KeyChange[], names = namesOf(change, keys)): void {
    this.#records.write(change.collection, change.record, change.after?.body);
    for (const each of keys) this.#storeKeys(change.record, each);
    this.#transactions.noteCommit(change, names);
  }

  #storeKeys(record: number, { index, removed, added }: KeyChange): void {
    for (const key of removed) this.#records.removeKey(index, key, record);
    for (const key of added) this.#records.addKey(index, key, record);
  }

  #keyChanges(change: Change): KeyChange[] {
    return change.collection.indexes.map((index) => this.#keyChange(index, change));
  }

  #keyChange(index: Index, { before, after }: Change): KeyChange {
    const found = after === undefined ? undefined : keysInIndex(index, after.document());
    const old = (before === undefined ? undefined : keysInIndex(index, before.document()))?.keys ?? [];
    const keys = found?.keys ?? [];
    if (found !== undefined) this.#catalog.markMultikey(index, found.multikey);
    return { index, removed: without(old, keys), added: without(keys, old), found };
  }

  #checkUnique(transaction: Transaction | undefined, { collection, record }: Change, keys: KeyChange): void {
    const { index, added, found } = keys;
    for (const key of index.definition.unique ? added : []) {
      const name = transaction === undefined ? "" : nameOfKey(index, key);
      const held = transaction?.held.has(name) === true;
      const owner = held ? transaction.held.get(name) : this.#records.ownerOf(index, key);
      if (owner === undefined || owner === record) continue;
      throw duplicateKey(collection, index, found?.rows[found.keys.indexOf(key)] ?? []);
    }
  }
}

/** The keys of a document in an index, undefined when the index leaves it out (partial, sparse). */
export function keysInIndex(index: Index, document: Document): IndexKeys | undefined {
  const { fields, partial, sparse } = index.definition;
  if (partial !== undefined && !partial.matches(document)) return undefined;
  const keys = indexKeysOf(fields, document);
  return sparse && !keys.anyField ? undefined : keys;
}

function versionOf(document: Document): Version {
  const body = encode(document);
  if (body.length <= largestDocument) return { body, document: () => document };
  throw serverError("BSONObjectTooLarge", `object to insert too large. size in bytes: ${body.length}`);
}

function without(keys: readonly Buffer[], others: readonly Buffer[]): readonly Buffer[] {
  if (others.length === 0) return keys;
  const known = new Set(others.map((key) => key.toString("latin1")));
  return keys.filter((key) => !known.has(key.toString("latin1")));
}

function namesOf({ collection, record }: Change, keys: readonly KeyChange[]): Names {
  const names = new Map<string, number | undefined>([[`record ${collection.id}:${record}`, record]]);
  for (const { index, removed, added } of keys) {
    if (!index.definition.unique) continue;
    for (const key of removed) names.set(nameOfKey(index, key), undefined);
    for (const key of added) names.set(nameOfKey(index, key), record);
  }
  return names;
}

function checkId(id: unknown): void {
  const kind = kindOf(id);
  if (kind === "array" || kind === "missing") {
    throw serverError("InvalidIdField", `The '_id' value cannot be of type ${kind}`);
  }
  const operator = isDocument(id) ? Object.keys(id).find((name) => name.startsWith("$")) : undefined;
  if (operator !== undefined)
    throw serverError("DollarPrefixedFieldName", `The field '${operator}' of _id begins with $`);
}

function nameOfKey(index: Index, key: Buffer): string {
  return `key ${index.id}:${key.toString("latin1")}`;
}

function duplicateKey({ database, name }: Collection, { definition }: Index, values: readonly unknown[]): Error {
  const valueAt = (at: number): unknown => (typeof values[at] === "symbol" ? null : values[at]);
  const keyValue = Object.fromEntries(definition.fields.map((field, at) => [field.name, valueAt(at)]));
  const text = `collection: ${database}.${name} index: ${definition.name} dup key: ${textOf(keyValue)}`;
  const details = { keyPattern: definition.specification["key"], keyValue };
  return serverError("DuplicateKey", `E11000 duplicate key error ${text}`, details);
}
