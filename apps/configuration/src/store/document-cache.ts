import type { Storage } from "@switchyard/storage";
import { LRUCache } from "lru-cache";
import { mongo } from "mongoose";

/** The maximum size of all cached documents, in bytes of BSON. */
const maxBytes = 32 * 1024 * 1024;
/** The size of the entry of a missing document. */
const missingBytes = 100;

interface Identified {
  readonly _id: string;
}

/** Caches the documents of a database by collection and ID. Documents that do not exist are cached too. */
export interface DocumentCache {
  /** Returns the documents with these IDs in no order. `load` reads those that are not cached. The documents are read-only. */
  find<Document extends Identified>(
    collection: string,
    ids: readonly string[],
    load: (ids: readonly string[]) => Promise<Document[]>,
  ): Promise<Document[]>;
  /** Forgets all documents. Called after every write and before its response, so that no later request finds an earlier state. */
  clear(): void;
}

/** Creates a cache for a database to which no other process writes. */
export function createDocumentCache(): DocumentCache {
  const documents = new LRUCache<string, { readonly document: Identified | null }>({
    maxSize: maxBytes,
    sizeCalculation: ({ document }) => (document === null ? missingBytes : mongo.BSON.calculateObjectSize(document)),
  });
  let writes = 0;
  return {
    async find<Document extends Identified>(
      collection: string,
      ids: readonly string[],
      load: (ids: readonly string[]) => Promise<Document[]>,
    ): Promise<Document[]> {
      const distinct = [...new Set(ids)];
      const cached = distinct.map((id) => documents.get(`${collection}/${id}`));
      const missing = distinct.filter((_, index) => cached[index] === undefined);
      const known = cached.flatMap((entry) => (entry?.document as Document | null | undefined) ?? []);
      if (missing.length === 0) return known;
      const writesBefore = writes;
      const loaded = await load(missing);
      // What was read while something was written may be the earlier state, and is not kept.
      if (writes === writesBefore) {
        const loadedById = new Map(loaded.map((document) => [document._id, document]));
        for (const id of missing) {
          documents.set(`${collection}/${id}`, { document: freeze(loadedById.get(id) ?? null) });
        }
      }
      return [...known, ...loaded];
    },
    clear() {
      writes += 1;
      documents.clear();
    },
  };
}

/** Creates the cache for a database that other processes may change, which keeps nothing. */
export function createPassingCache(): DocumentCache {
  return {
    find: (_collection, ids, load) => (ids.length === 0 ? Promise.resolve([]) : load([...new Set(ids)])),
    clear: () => undefined,
  };
}

/** Returns the storage with transactions that call `onEnd` when they end, before they return, whether they were committed or not. */
export function observeTransactions(storage: Storage, onEnd: () => void): Storage {
  const atomically: Storage["atomically"] = (...work) => storage.atomically(...work).finally(onEnd);
  return { ...storage, atomically };
}

function freeze<Value>(value: Value): Value {
  if (typeof value === "object" && value !== null && !(value instanceof Date) && !Object.isFrozen(value)) {
    Object.values(Object.freeze(value)).forEach(freeze);
  }
  return value;
}
