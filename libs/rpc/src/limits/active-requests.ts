import type { EvictionScope } from "./open-connections.ts";

/** An active request: from the arrival of its headers to the end of its response. */
export interface ActiveRequest {
  /** Returns whether its connection has not received a response yet. */
  isNew(): boolean;
  /** Returns the current state of the request. */
  getState(): RequestState;
  /** Aborts the request or closes its connection. */
  abort(what: "request" | "connection"): void;
}

/** The state of an active request. */
export interface RequestState {
  /** What the client has to do: send the rest of the request, or read the response. Undefined while the server is working. */
  readonly awaiting: "request" | "reader" | undefined;
  /** Whether the server has not read all bytes that have arrived, so that the client may be blocked by it. */
  readonly unreadRequest: boolean;
  /** The number of available response bytes that have not been sent. */
  readonly unreadBytes: number;
  /** A counter that changes when the client reads and, over HTTP/1.1, when it sends. */
  readonly taken: number;
}

/** The active requests of a port, within its limits. */
export interface ActiveRequests {
  /** Adds a request. Returns a function that records its end, or undefined if the limit is reached. */
  begin(request: ActiveRequest): (() => void) | undefined;
  /**
   * Closes the connection of the request in the scope that has waited longest for its client, if it has waited since before `time`
   * (of `performance.now`). Returns false if there is none.
   */
  closeOldest(time: number, scope: EvictionScope): boolean;
  readonly size: number;
  stop(): void;
}

/** The limits on active requests; see `PortLimits`. */
export interface RequestLimits {
  readonly maxRequests: number;
  readonly maxUnreadBytes: number;
  readonly requestTimeoutMs: number;
  readonly responseTimeoutMs: number;
}

/** The interval at which requests are checked. */
const pollIntervalMs = 500;
/** A reader that has read something within this time is slow but not stalled. It is aborted only under memory pressure. */
const stallTimeoutMs = 2_000;

interface Entry {
  readonly request: ActiveRequest;
  awaiting: RequestState["awaiting"];
  since: number;
  taken: number;
}

/**
 * Tracks active requests, and aborts those whose clients are slowest: when there are too many, when their responses take too much memory,
 * or when a timeout passes. When there are too many, requests of connections that have not received a response yet are aborted first. A
 * request that the server is working on is never aborted.
 */
export function createActiveRequests(limits: RequestLimits): ActiveRequests {
  // Both in insertion order: the first entry of `waiting` has waited longest.
  const waiting = new Set<Entry>();
  const working = new Set<Entry>();

  function refreshState(entry: Entry, now: number): RequestState {
    const state = entry.request.getState();
    const { awaiting, taken } = state;
    if (awaiting !== entry.awaiting || taken !== entry.taken) {
      entry.since = now;
      waiting.delete(entry);
      working.delete(entry);
      (awaiting === undefined ? working : waiting).add(entry);
    }
    entry.awaiting = awaiting;
    entry.taken = taken;
    return state;
  }

  function abort(entry: Entry, what: "request" | "connection" = "request"): void {
    waiting.delete(entry);
    entry.request.abort(what);
  }

  function abortOldest(what: "request" | "connection", scope: EvictionScope, before = Infinity): boolean {
    for (const entry of waiting) {
      if (scope === "new" && !entry.request.isNew()) continue;
      const { since } = entry;
      refreshState(entry, performance.now());
      // It may have made progress since the last check.
      if (entry.awaiting === undefined || entry.since !== since) continue;
      if (entry.since >= before) return false;
      abort(entry, what);
      return true;
    }
    return false;
  }

  let timer: NodeJS.Timeout | undefined;

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function sweep(): void {
    if (waiting.size + working.size === 0) stop();
    const now = performance.now();
    const unreadBytesByEntry = new Map<Entry, number>();
    let total = 0;
    for (const entry of [...waiting, ...working]) {
      const { awaiting, unreadRequest, unreadBytes } = refreshState(entry, now);
      const limit = awaiting === "request" ? limits.requestTimeoutMs : limits.responseTimeoutMs;
      if (awaiting !== undefined && !unreadRequest && now - entry.since > limit) abort(entry);
      else if (unreadBytes > 0) {
        unreadBytesByEntry.set(entry, unreadBytes);
        total += unreadBytes;
      }
    }
    for (const [entry, bytes] of unreadBytesByEntry) {
      if (total <= limits.maxUnreadBytes) return;
      if (total <= 2 * limits.maxUnreadBytes && now - entry.since < stallTimeoutMs) continue;
      total -= bytes;
      abort(entry);
    }
  }

  const makeRoom = () => abortOldest("request", "new") || abortOldest("request", "anyone");

  return {
    begin(request) {
      if (waiting.size + working.size >= limits.maxRequests && !makeRoom()) return undefined;
      const entry: Entry = { request, awaiting: "request", since: performance.now(), taken: 0 };
      waiting.add(entry);
      timer ??= setInterval(sweep, pollIntervalMs).unref();
      return () => {
        waiting.delete(entry);
        working.delete(entry);
      };
    },
    closeOldest: (time, scope) => abortOldest("connection", scope, time),
    get size() {
      return waiting.size + working.size;
    },
    stop,
  };
}
