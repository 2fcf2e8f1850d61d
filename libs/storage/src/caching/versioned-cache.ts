import type { Connection } from "mongoose";
import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import { createDocumentCache } from "./document-cache.ts";
import type { DocumentCache } from "./document-cache.ts";

/** The version of the documents in a cache, which changes with every write. */
interface VersionDocument {
  readonly _id: string;
  readonly version: number;
}

/** The maximum age of what is cached, in milliseconds. */
const defaultMaxAgeMs = 1_000;

/**
 * Creates a cache for a database to which other processes write, too. A write changes the version of the documents before it is answered,
 * and every use of the cache begins by reading the version, so no request finds a state from before a response that preceded it. Requests
 * that arrive while the version is being read share the next read. After `maxAgeMs`, everything is read again, whatever the version is:
 * a process may have ended between its write and the change of the version, and other programs do not change it.
 *
 * `name` is the name of the cache, which is the same in all processes.
 */
export function createVersionedCache(
  connection: Connection,
  name: string,
  { maxAgeMs = defaultMaxAgeMs, now = () => performance.now() }: { maxAgeMs?: number; now?: () => number } = {},
): DocumentCache {
  const cache = createDocumentCache();
  const versions = connection.collection<VersionDocument>("cache_versions");
  let version = -1;
  let filledAt = -Infinity;
  // A shared read does not end with the call that started it.
  const detached = AsyncLocalStorage.snapshot();

  async function readVersion(): Promise<void> {
    const begunAt = now();
    const current = (await versions.findOne({ _id: name }))?.version ?? 0;
    if (current === version && begunAt - filledAt < maxAgeMs) return;
    version = current;
    filledAt = begunAt;
    await cache.clear();
  }
  const check = shareCalls(() => detached(readVersion));

  const changeVersion = shareCalls(() =>
    detached(async () => {
      await cache.clear();
      // It need not survive a failover: then the maximum age applies.
      const options = { upsert: true, writeConcern: { w: 1 } } as const;
      await versions.updateOne({ _id: name }, { $inc: { version: 1 } }, options);
    }),
  );

  return {
    async find(documents, ids, load) {
      if (ids.length === 0) return [];
      await check();
      return cache.find(documents, ids, load);
    },
    async list(documents, query, load) {
      await check();
      return cache.list(documents, query, load);
    },
    clear: changeVersion,
  };
}

/**
 * Returns a function that runs `work` after each call. Calls in the same iteration of the event loop share a run, and calls during a run
 * the next.
 */
function shareCalls(work: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(previous: Promise<void>): Promise<void> {
    await Promise.all([previous.catch(() => undefined), setImmediate()]);
    next = undefined;
    running = work();
    await running;
  }

  return () => (next ??= run(running));
}
