import type { Connection } from "mongoose";
import { setTimeout as sleep } from "node:timers/promises";

/** A change stream of MongoDB. */
export interface ChangeStream {
  /** Whether no more changes follow: the database ends a stream whose collection or database was dropped. */
  readonly closed: boolean;
  /** Returns the next change, or null if there is none for some time. */
  tryNext(): Promise<unknown>;
  close(): Promise<void>;
}

/** A watch of a change stream, which is opened again when it fails or ends. */
export interface StreamWatch {
  /** Whether every change is reported. False without a stream, for example because the database has none. */
  readonly isWatching: boolean;
  start(): void;
  /**
   * Ends the watch, and with it every call of `onChange`. It does not wait for the request that the database holds back: closing a stream
   * does not end it, closing the connection does.
   */
  stop(): void;
}

/** The time for which the database holds a request for changes back when there is none. Shorter than the timeout of a socket. */
export const maxStreamWaitMs = 10_000;

/** The options of a watch. */
export interface StreamWatchOptions {
  /** Called after every change, and whenever the watch begins or ends, because changes before that may not have been reported. */
  readonly onChange: () => void;
  /** The time until a stream that failed is opened again, in milliseconds; 30 s by default. */
  readonly retryMs?: number;
}

/** Opens a change stream of collections. Its changes say only that something changed. */
export function watchCollections(connection: Connection, names: readonly string[]): ChangeStream {
  const { db } = connection;
  if (db === undefined) throw new Error("the connection is not open");
  const pipeline = [{ $match: { "ns.coll": { $in: [...names] } } }, { $project: { _id: 1 } }];
  return db.watch(pipeline, { maxAwaitTimeMS: maxStreamWaitMs });
}

/** Creates a watch of the streams that `open` opens. It does not keep the process alive. */
export function createStreamWatch(
  open: () => ChangeStream,
  { onChange, retryMs = 30_000 }: StreamWatchOptions,
): StreamWatch {
  const stopping = new AbortController();
  let isWatching = false;
  let hasStarted = false;

  /** Notes whether there is a stream, and lets callers read again, because they may have missed something. */
  function setWatching(watching: boolean): void {
    isWatching = watching;
    onChange();
  }

  /** Reports changes until the stream fails or ends. */
  async function follow(stream: ChangeStream): Promise<void> {
    const close = (): void => void stream.close().catch(() => undefined);
    stopping.signal.addEventListener("abort", close, { once: true });
    try {
      while (!stopping.signal.aborted) {
        const change = await stream.tryNext();
        if (stopping.signal.aborted) return;
        // The stream reports what is written after its first response, so what was read before must be read again.
        if (change !== null || !isWatching) setWatching(true);
        // Otherwise, its responses would follow each other without a pause, and nothing else would run.
        if (stream.closed) return;
      }
    } finally {
      stopping.signal.removeEventListener("abort", close);
      close();
      if (!stopping.signal.aborted) setWatching(false);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await follow(open());
      } catch {
        // Why it failed does not matter: without a stream, callers poll.
      }
      await sleep(retryMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  return {
    get isWatching() {
      return isWatching;
    },
    start() {
      if (!hasStarted) void run();
      hasStarted = true;
    },
    stop() {
      if (stopping.signal.aborted) return;
      stopping.abort();
      setWatching(false);
    },
  };
}
