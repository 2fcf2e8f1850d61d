import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ProjectEventSchema } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import type { ProjectEvent, ProjectEventKind } from "@switchyard/contracts/switchyard/benchmark/v1/events";
import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { createEventQueue } from "./event-queue.ts";
import type { EventQueue } from "./event-queue.ts";
import type { ChangeStream } from "./stream-watch.ts";
import { createSharedWrites } from "./writes.ts";
import type { SharedWrites, Writes } from "./writes.ts";

/** Something that is stored about a project, and when it happened. */
export interface StoredEvent {
  readonly id: string;
  readonly status: string;
  readonly at: Date;
}

/** The events of one kind and one moment of their objects, such as the end of extractions. Each object has at most one at a time. */
export interface Timeline {
  readonly kind: ProjectEventKind;
  /** Reads at most `limit` events of a project from a time on, in order of their time. */
  read(projectId: string, from: Date, limit: number): Promise<StoredEvent[]>;
}

/** Reports the events of projects. */
export interface ProjectWatch {
  /**
   * Streams the events of a project from now on. The first message is empty, and says that the stream has begun. Fails with Unavailable
   * (EVENTS_MISSED) if it is read too slowly, and if the database cannot be read. Ends when the signal is aborted or the watch is closed.
   */
  watch(projectId: string, signal: AbortSignal): AsyncGenerator<ProjectEvent, void>;
  /** Ends all streams. */
  close(): void;
}

/** The options of a watch. Times are in milliseconds. */
export interface ProjectWatchOptions {
  readonly timelines: readonly Timeline[];
  /** The writes of this process if it owns the database; otherwise a function that opens a change stream of all processes' writes. */
  readonly changes: Writes | (() => ChangeStream);
  readonly now?: () => number;
  /** How long an event may take from its time until it can be read, and how much the clocks of processes may differ. */
  readonly overlapMs?: number;
  /** The minimum time between two reads of a project. */
  readonly pauseMs?: number;
  /** The time between two reads if the database has no change streams. */
  readonly pollMs?: number;
  /** The number of events that wait for a reader. */
  readonly maxWaiting?: number;
}

/** Reads the events of one project for all of its listeners. */
interface Reader {
  readonly listeners: Set<EventQueue<ProjectEvent>>;
  /** Resolves when the events from before are known. */
  readonly begun: Promise<void>;
  stop(): void;
}

const pageSize = 500;
/** The maximum duration of a single wait for a write. Nothing is read when it ends without one. */
const idleMs = 600_000;
/** The time until a change stream that failed is opened again. */
const retryMs = 30_000;

/**
 * Creates a watch. Nothing is read, and no change stream is open, while nobody listens. After a write, the end of each timeline is read, for
 * all listeners of a project together. Times are those of the writers, and events can be read some time later, so that each read begins
 * earlier than the one before it, and skips what it knows.
 */
export function createProjectWatch(options: ProjectWatchOptions): ProjectWatch {
  const { timelines, changes, now = Date.now, overlapMs = 10_000, pauseMs = 300 } = options;
  const { pollMs = 500, maxWaiting = 2_000 } = options;
  const readers = new Map<string, Reader>();
  // A reader does not end with the call that started it.
  const detached = AsyncLocalStorage.snapshot();
  let shared: SharedWrites | undefined;
  let isClosed = false;

  function getWrites(): Writes {
    if (typeof changes !== "function") return changes;
    if (shared === undefined) {
      shared = createSharedWrites(changes, { pollMs, retryMs });
      shared.start();
    }
    return shared;
  }

  function startReader(projectId: string): Reader {
    const listeners: Reader["listeners"] = new Set();
    const stopping = new AbortController();
    const { signal } = stopping;
    const writes = getWrites();
    /** The times of known events by timeline, object and time. */
    const known = new Map<string, number>();
    let readAt = now();

    /** Reads the events that are not known yet. There are more than `maxWaiting` only if it is no longer useful to read them. */
    async function read(): Promise<ProjectEvent[]> {
      const begunAt = now();
      const start = Math.min(readAt, begunAt) - overlapMs;
      const found = (await Promise.all(timelines.map((_, index) => readTimeline(index, start)))).flat();
      for (const [key, at] of known) if (at < start) known.delete(key);
      readAt = begunAt;
      return found
        .sort((left, right) => left.at.getTime() - right.at.getTime())
        .map(({ kind, id, status, at }) => create(ProjectEventSchema, { kind, id, status, at: timestampFromDate(at) }));
    }

    async function readTimeline(index: number, start: number): Promise<(StoredEvent & { kind: ProjectEventKind })[]> {
      const timeline = timelines[index];
      const unknown: (StoredEvent & { kind: ProjectEventKind })[] = [];
      for (let from = start; timeline !== undefined && unknown.length <= maxWaiting;) {
        const page = await timeline.read(projectId, new Date(from), pageSize);
        for (const event of page) {
          const key = `${index} ${event.id} ${event.at.getTime()}`;
          if (known.has(key)) continue;
          known.set(key, event.at.getTime());
          unknown.push({ ...event, kind: timeline.kind });
        }
        const last = page.at(-1)?.at.getTime() ?? from;
        if (page.length < pageSize) break;
        // The rest of a page's last millisecond is on the next page, unless it is a whole page.
        from = last > from ? last : from + 1;
      }
      return unknown;
    }

    async function run(count: number): Promise<void> {
      for (let seen = count; !signal.aborted;) {
        if (!(await writes.after(seen, idleMs, signal)) || signal.aborted) continue;
        seen = writes.count;
        for (const event of await read()) for (const listener of listeners) listener.push(event);
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }

    const { count } = writes;
    const begun = read().then(() => undefined);
    const reader = { listeners, begun, stop: () => stopping.abort() };
    void begun
      .then(() => run(count))
      .catch((error: unknown) => {
        if (readers.get(projectId) === reader) removeReader(projectId);
        const reason = error instanceof Error ? error : new Error(String(error));
        for (const listener of listeners) listener.end(reason);
      });
    readers.set(projectId, reader);
    return reader;
  }

  function removeReader(projectId: string): void {
    readers.get(projectId)?.stop();
    readers.delete(projectId);
    if (readers.size > 0) return;
    shared?.stop();
    shared = undefined;
  }

  return {
    async *watch(projectId, signal) {
      if (isClosed || signal.aborted) return;
      const reader = readers.get(projectId) ?? detached(() => startReader(projectId));
      const queue = createEventQueue<ProjectEvent>(maxWaiting);
      const end = (): void => queue.end();
      signal.addEventListener("abort", end, { once: true });
      reader.listeners.add(queue);
      try {
        await reader.begun;
        if (signal.aborted) return;
        yield create(ProjectEventSchema);
        for (let events = await queue.take(); events.length > 0; events = await queue.take()) yield* events;
      } finally {
        signal.removeEventListener("abort", end);
        reader.listeners.delete(queue);
        if (reader.listeners.size === 0 && readers.get(projectId) === reader) removeReader(projectId);
      }
    },
    close() {
      isClosed = true;
      for (const { listeners } of readers.values()) for (const listener of listeners) listener.end();
    },
  };
}

/** Returns the name of a value of a generated enum, such as `RUNNING`. */
export function toStatusName(values: Readonly<Record<string, number>>, value: number): string {
  return Object.keys(values).find((name) => values[name] === value) ?? "";
}

/** Returns the store with functions that call `onEnd` after each call, whether it succeeded or not. */
export function observeWrites<Store extends object>(
  store: Store,
  names: readonly (keyof Store)[],
  onEnd: () => void,
): Store {
  const observed = names.map((name) => {
    const write = store[name] as (...given: unknown[]) => Promise<unknown>;
    return [name, (...given: unknown[]) => write(...given).finally(onEnd)];
  });
  return { ...store, ...(Object.fromEntries(observed) as Partial<Store>) };
}
