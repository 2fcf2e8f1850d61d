import { Buffer } from "node:buffer";
import type { Catalog, Collection, Index } from "./catalog.ts";
import { serverError } from "./errors.ts";
import { indexKeysOf, type IndexKeys } from "./index-keys.ts";
import type { Records } from "./records.ts";
import type { Transaction, Transactions } from "./transactions.ts";
import { checkValues, decode, encode, fieldOf, isDocument, kindOf, textOf, type Document } from "./values.ts";

/** A document with its bytes. */
export interface Version {
  readonly body: Uint8Array;
  readonly document: Document;
}

/** Changes of documents with all that belongs to them: conflicts, unique keys, index entries. */
export interface Documents {
  insert(transaction: Transaction | undefined, collection: Collection, document: Document): void;
  /** Replaces a document; false when nothing in it changes. */
  replace(
    transaction: Transaction | undefined,
    collection: Collection,
    record: number,
    before: Version,
    document: Document,
  ): boolean;
  remove(transaction: Transaction | undefined, collection: Collection, record: number, before: Version): void;
  /** Writes what a transaction changed. The SQLite transaction is the caller's. */
  commit(transaction: Transaction): void;
  /** Fills a new index from the documents there are; a duplicate key is an error. */
  build(collection: Collection, index: Index): void;
}

const largestDocument = 16 * 1024 * 1024;

interface KeyChange {
  readonly index: Index;
  readonly removed: readonly Uint8Array[];
  readonly added: readonly Uint8Array[];
  readonly keys: IndexKeys | undefined;
}

/** Creates the writer of documents. */
export function createDocuments(catalog: Catalog, records: Records, transactions: Transactions): Documents {
  function write(
    transaction: Transaction | undefined,
    collection: Collection,
    record: number,
    before: Version | undefined,
    after: Version | undefined,
  ): void {
    transactions.checkRecord(transaction, collection, record);
    const changes = collection.indexes.map((index) => keyChange(index, before?.document, after?.document));
    for (const change of changes) checkUnique(transaction, collection, record, change);
    const heldKeys = new Map<string, number | undefined>();
    for (const { index, removed, added, keys } of changes) {
      if (keys !== undefined) catalog.markMultikey(index, keys.multikey, transaction === undefined);
      if (!index.definition.unique) continue;
      for (const key of removed) heldKeys.set(nameOfKey(index, key), undefined);
      for (const key of added) heldKeys.set(nameOfKey(index, key), record);
    }
    if (transaction === undefined) {
      store(collection, record, before?.body, after?.body, changes);
    } else {
      const change = { collection, record, before: before?.body, after: after?.body };
      transactions.hold(transaction, change, heldKeys);
    }
  }

  function store(
    collection: Collection,
    record: number,
    before: Uint8Array | undefined,
    after: Uint8Array | undefined,
    changes: readonly KeyChange[],
  ): void {
    if (after === undefined) records.remove(collection, record);
    else if (before === undefined) records.insert(collection, record, after);
    else records.replace(collection, record, after);
    const uniqueKeys: string[] = [];
    for (const { index, removed, added } of changes) {
      for (const key of removed) records.removeKey(index, key, record);
      for (const key of added) records.addKey(index, key, record);
      if (index.definition.unique && transactions.openCount > 0) {
        uniqueKeys.push(...[...removed, ...added].map((key) => nameOfKey(index, key)));
      }
    }
    transactions.noteCommit(collection, record, before, uniqueKeys);
  }

  function checkUnique(
    transaction: Transaction | undefined,
    collection: Collection,
    record: number,
    { index, added, keys }: KeyChange,
  ): void {
    if (!index.definition.unique) return;
    for (const key of added) {
      const name = transactions.openCount === 0 ? "" : nameOfKey(index, key);
      if (name !== "") transactions.checkKey(transaction, name);
      const owner = transaction?.keys.has(name) === true ? transaction.keys.get(name) : records.ownerOf(index, key);
      if (owner !== undefined && owner !== record)
        throw duplicateKey(collection, index, keys?.rows[keys.keys.indexOf(key as Buffer)]);
    }
  }

  function versionOf(document: Document): Version {
    const body = encode(document);
    if (body.length > largestDocument) {
      throw serverError("BSONObjectTooLarge", `object to insert too large. size in bytes: ${body.length}`);
    }
    return { body, document };
  }

  return {
    insert(transaction, collection, document) {
      checkValues(document);
      checkId(fieldOf(document, "_id"));
      const version = versionOf(document);
      write(transaction, collection, collection.nextRecord, undefined, version);
      collection.nextRecord += 1;
    },
    replace(transaction, collection, record, before, document) {
      const version = versionOf(document);
      if (Buffer.compare(version.body, before.body) === 0) return false;
      checkValues(document);
      write(transaction, collection, record, before, version);
      return true;
    },
    remove(transaction, collection, record, before) {
      write(transaction, collection, record, before, undefined);
    },
    commit(transaction) {
      for (const { collection, record, before, after } of transaction.changes.values()) {
        if (before === undefined && after === undefined) continue;
        const [old, next] = [before, after].map((body) => (body === undefined ? undefined : decode(body)));
        const changes = collection.indexes.map((index) => keyChange(index, old, next));
        for (const { index, keys } of changes) {
          if (keys !== undefined) catalog.markMultikey(index, keys.multikey, true);
        }
        store(collection, record, before, after, changes);
      }
    },
    build(collection, index) {
      for (let after = 0; ;) {
        const rows = records.readRecords(collection, after, 500);
        if (rows.length === 0) return;
        for (const { record, body } of rows) {
          const change = keyChange(index, undefined, decode(body));
          checkUnique(undefined, collection, record, change);
          if (change.keys !== undefined) catalog.markMultikey(index, change.keys.multikey, true);
          for (const key of change.added) records.addKey(index, key, record);
          after = record;
        }
      }
    },
  };
}

/** The keys of a document in an index, undefined when the index leaves it out (partial, sparse). */
export function keysInIndex(index: Index, document: Document): IndexKeys | undefined {
  const { fields, partial, sparse } = index.definition;
  if (partial !== undefined && !partial.matches(document)) return undefined;
  const keys = indexKeysOf(fields, document);
  return sparse && !keys.anyField ? undefined : keys;
}

function keyChange(index: Index, before: Document | undefined, after: Document | undefined): KeyChange {
  const keys = after === undefined ? undefined : keysInIndex(index, after);
  const oldKeys = before === undefined ? [] : (keysInIndex(index, before)?.keys ?? []);
  const newKeys = keys?.keys ?? [];
  if (oldKeys.length === 0) return { index, removed: [], added: newKeys, keys };
  return {
    index,
    removed: oldKeys.filter((key) => !newKeys.some((other) => other.equals(key))),
    added: newKeys.filter((key) => !oldKeys.some((other) => other.equals(key))),
    keys,
  };
}

function nameOfKey(index: Index, key: Uint8Array): string {
  return `${index.id}:${Buffer.from(key.buffer, key.byteOffset, key.length).toString("latin1")}`;
}

function checkId(id: unknown): void {
  const kind = kindOf(id);
  if (kind === "array" || kind === "regex" || kind === "missing") {
    throw serverError("InvalidIdField", `The '_id' value cannot be of type ${kind}`);
  }
  const operator = isDocument(id) ? Object.keys(id).find((name) => name.startsWith("$")) : undefined;
  if (operator !== undefined)
    throw serverError("DollarPrefixedFieldName", `The field '${operator}' of _id begins with $`);
}

function duplicateKey(collection: Collection, index: Index, values: readonly unknown[] = []): Error {
  const { definition } = index;
  const keyValue: Document = {};
  definition.fields.forEach(({ name }, at) => {
    const value = values[at];
    keyValue[name] = typeof value === "symbol" ? null : value;
  });
  return serverError(
    "DuplicateKey",
    `E11000 duplicate key error collection: ${collection.database}.${collection.name} index: ${definition.name} dup key: ${textOf(keyValue)}`,
    { keyPattern: definition.specification["key"], keyValue },
  );
}
