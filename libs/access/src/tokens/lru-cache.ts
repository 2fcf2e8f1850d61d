/** Values by key, forgotten when they are older than the time to live, or the longest unused when there are too many. */
export interface LruCache<Value> {
  /** The value, when there is one that is not too old. */
  get(key: string): Value | undefined;
  /** Keeps a value that was true at a moment, in milliseconds. */
  set(key: string, value: Value, at: number): void;
  delete(key: string): void;
  clear(): void;
}

/** `now` is the clock in milliseconds. */
export interface LruCacheOptions {
  capacity: number;
  ttlMs: number;
  now: () => number;
}

/** A cache that holds at most `capacity` values, each for `ttlMs` from the moment it was true. */
export function createLruCache<Value>({ capacity, ttlMs, now }: LruCacheOptions): LruCache<Value> {
  // A Map iterates in order of insertion, so its first key is the longest unused when every use inserts anew.
  const entries = new Map<string, { value: Value; at: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      if (now() - entry.at >= ttlMs) return undefined;
      entries.set(key, entry);
      return entry.value;
    },
    set(key, value, at) {
      entries.delete(key);
      entries.set(key, { value, at });
      const eldest = entries.keys().next();
      if (entries.size > capacity && eldest.done !== true) entries.delete(eldest.value);
    },
    delete(key) {
      entries.delete(key);
    },
    clear() {
      entries.clear();
    },
  };
}
