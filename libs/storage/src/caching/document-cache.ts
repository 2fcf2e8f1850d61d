import { LRUCache } from "lru-cache";
import { mongo } from "mongoose";
import type { Storage } from "../connection/connection.ts";
import type { BatchWrites } from "../transactions/write-batching.ts";

/** The maximum size of all cached documents, in bytes of BSON. */
const maxBytes = 32 * 1024 * 1024;
/** The size of an entry without its documents. */
const entryBytes = 100;

interface Identified {
  readonly _id: string;
}

/** Caches the documents of a database by collection, and by ID or query. Documents that do not exist are cached too. */
export interface DocumentCache {
  /** Returns the documents with these IDs in no order. `load` reads those that are not cached. The documents are read-only. */
  find<Document extends Identified>(
    collection: string,
    ids: readonly string[],
    load: (ids: readonly string[]) => Promise<Document[]>,
  ): Promise<Document[]>;
  /**
   * Returns the documents that `load` finds, in its order, unless the same query is cached. `query` is a plain object that identifies
   * the result within the collection. The documents are read-only.
   */
  list<Document extends Identified>(
    collection: string,
    query: object,
    load: () => Promise<Document[]>,
  ): Promise<readonly Document[]>;
  /** Forgets all documents. Called after every write and before its response, so that no later request finds an earlier state. */
  clear(): void;
}

/** Creates a cache for a database to which no other process writes. */
export function createDocumentCache(): DocumentCache {
  const entries = new LRUCache<string, readonly Identified[]>({
    maxSize: maxBytes,
    sizeCalculation: (documents) =>
      documents.reduce((bytes, document) => bytes + mongo.BSON.calculateObjectSize(document), entryBytes),
  });
  let writes = 0;
  return {
    async find<Document extends Identified>(
      collection: string,
      ids: readonly string[],
      load: (ids: readonly string[]) => Promise<Document[]>,
    ): Promise<Document[]> {
      const distinct = [...new Set(ids)];
      const cached = distinct.map((id) => entries.get(`${collection}/${id}`) as readonly Document[] | undefined);
      const missing = distinct.filter((_, index) => cached[index] === undefined);
      const known = cached.flatMap((documents) => documents ?? []);
      if (missing.length === 0) return known;
      const writesBefore = writes;
      const loaded = await load(missing);
      // What was read while something was written may be the earlier state, and is not kept.
      if (writes === writesBefore) {
        const loadedById = new Map(loaded.map((document) => [document._id, document]));
        for (const id of missing) {
          const document = loadedById.get(id);
          entries.set(`${collection}/${id}`, freeze(document === undefined ? [] : [document]));
        }
      }
      return [...known, ...loaded];
    },
    async list<Document extends Identified>(
      collection: string,
      query: object,
      load: () => Promise<Document[]>,
    ): Promise<readonly Document[]> {
      const key = `${collection}?${JSON.stringify(query)}`;
      const cached = entries.get(key);
      if (cached !== undefined) return cached as readonly Document[];
      const writesBefore = writes;
      const loaded = await load();
      if (writes === writesBefore) entries.set(key, freeze(loaded));
      return loaded;
    },
    clear() {
      writes += 1;
      entries.clear();
    },
  };
}

/** Creates the cache for a database that other processes may change, which keeps nothing. */
export function createPassingCache(): DocumentCache {
  return {
    find: (_collection, ids, load) => (ids.length === 0 ? Promise.resolve([]) : load([...new Set(ids)])),
    list: (_collection, _query, load) => load(),
    clear: () => undefined,
  };
}

/** Returns the storage with transactions that call `onEnd` when they end, before they return, whether they were committed or not. */
export function observeTransactions(storage: Storage, onEnd: () => void): Storage {
  const atomically: Storage["atomically"] = (...work) => storage.atomically(...work).finally(onEnd);
  const batchWrites: BatchWrites = (write) => {
    const add = storage.batchWrites(write);
    return (...change) => add(...change).finally(onEnd);
  };
  return { ...storage, atomically, batchWrites };
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !(value instanceof Date) && !Object.isFrozen(value)) {
    Object.values(Object.freeze(value)).forEach(freeze);
  }
  return value;
}
