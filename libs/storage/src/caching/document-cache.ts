import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { replayedHeader, takesIdempotencyKey } from "@switchyard/rpc";
import type { ServiceRegistration } from "@switchyard/rpc";
import { LRUCache } from "lru-cache";
import type { Storage } from "../connection/connection.ts";
import { loadInParts } from "../lists/id-parts.ts";
import type { BatchWrites } from "../transactions/write-batching.ts";

/** The maximum size of all cached documents, in bytes as `freeze` estimates them. */
const maxBytes = 32 * 1024 * 1024;
/** The estimated size of a value without its text, in bytes. */
const valueBytes = 16;

interface Identified {
  readonly _id: string;
}

/** Caches the documents of a database by collection, and by ID or query. Documents that do not exist are cached too. */
export interface DocumentCache {
  /**
   * Returns the documents with these IDs in no particular order. `load` reads those that are not cached, at most `maxIdsPerLoad` with one call.
   * The documents are read-only.
   */
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
  /**
   * Forgets all documents, in all processes that use the database. Called after every write and awaited before its response, so that no
   * later request finds an earlier state.
   */
  clear(): Promise<void>;
}

/** Creates a cache for a database to which no other process writes. */
export function createDocumentCache(): DocumentCache {
  const entries = new LRUCache<string, readonly Identified[]>({ maxSize: maxBytes });
  let writes = 0;
  const keep = (key: string, documents: readonly Identified[]): void => {
    entries.set(key, documents, { size: freeze(documents) });
  };
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
      const loaded = await loadInParts(missing, load);
      // What was read while something was written may be the earlier state, and is not kept.
      if (writes === writesBefore) {
        const loadedById = new Map(loaded.map((document) => [document._id, document]));
        for (const id of missing) {
          const document = loadedById.get(id);
          keep(`${collection}/${id}`, document === undefined ? [] : [document]);
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
      if (writes === writesBefore) keep(key, loaded);
      return loaded;
    },
    clear() {
      writes += 1;
      entries.clear();
      return Promise.resolve();
    },
  };
}

/** Creates a cache that keeps nothing. */
export function createPassingCache(): DocumentCache {
  return {
    find: (_collection, ids, load) => loadInParts([...new Set(ids)], load),
    list: (_collection, _query, load) => load(),
    clear: () => Promise.resolve(),
  };
}

/**
 * Returns the storage with transactions that call `onEnd` when they end, whether they were committed or not, and await it before they
 * return. A repeated call whose response was stored by an earlier one does the same, because that one may not have ended.
 */
export function observeTransactions(storage: Storage, onEnd: () => Promise<void>): Storage {
  const atomically: Storage["atomically"] = (...work) => storage.atomically(...work).finally(onEnd);
  const batchWrites: BatchWrites = (write) => {
    const add = storage.batchWrites(write);
    return (...change) => add(...change).finally(onEnd);
  };
  const idempotent: Storage["idempotent"] = (registration) => observeReplays(storage.idempotent(registration), onEnd);
  return { ...storage, atomically, batchWrites, idempotent };
}

function observeReplays({ service, implementation }: ServiceRegistration, onEnd: () => Promise<void>) {
  const handlers = Object.entries(implementation).map(([name, handler]) => {
    const method = service.methods.find(({ localName }) => localName === name);
    if (method === undefined || !takesIdempotencyKey(method) || method.methodKind !== "unary") return [name, handler];
    const observed = async (input: Message, context: HandlerContext): Promise<unknown> => {
      const response: unknown = await (handler as (input: Message, context: HandlerContext) => unknown)(input, context);
      if (context.responseHeader.has(replayedHeader)) await onEnd();
      return response;
    };
    return [name, observed];
  });
  return { service, implementation: Object.fromEntries(handlers) as ServiceRegistration["implementation"] };
}

/** Freezes a value deeply, and returns an estimate of its size in bytes. Measuring its BSON would take four times as long. */
function freeze(value: unknown): number {
  if (typeof value === "string") return valueBytes + value.length;
  if (typeof value !== "object" || value === null || value instanceof Date) return valueBytes;
  return Object.entries(Object.freeze(value)).reduce(
    (bytes, [key, field]) => bytes + key.length + freeze(field),
    valueBytes,
  );
}
