import type { Whose } from "./open-connections.ts";

/** A request from its headers to the end of its answer. */
export interface RequestUnderWay {
  /** Whether its connection never had an answer. */
  isNewcomer(): boolean;
  /** What it is waiting for now. */
  look(): RequestState;
  /** Breaks it off, or its whole connection. */
  giveUp(what: "request" | "connection"): void;
}

/** What a request waits for. */
export interface RequestState {
  /** Its client, who has not sent all of it, or does not take its answer; undefined while it is the server's turn. */
  readonly waitsFor: "request" | "reader" | undefined;
  /** Whether the server has yet to read what has come, so that the client may be held up by it. */
  readonly unreadRequest: boolean;
  /** Bytes of the answer that are there and have not left. */
  readonly unreadBytes: number;
  /** Changes with what the client takes and, over HTTP/1.1, sends. */
  readonly taken: number;
}

/** The requests that a port has under way, within limits. */
export interface RequestsUnderWay {
  /** Notes a request; returns what notes its end. Undefined when there is room for no more. */
  begin(request: RequestUnderWay): (() => void) | undefined;
  /**
   * Closes the connection of the request that has waited for its client longest, of newcomers or of anyone, if it has done so since
   * before `time` (of `performance.now`). False when none has.
   */
  closeOldest(time: number, whose: Whose): boolean;
  readonly size: number;
  stop(): void;
}

/** The limits of requests under way; see `PortLimits`. */
export interface RequestLimits {
  readonly maxRequests: number;
  readonly maxUnreadBytes: number;
  readonly requestTimeoutMs: number;
  readonly answerTimeoutMs: number;
}

/** How often requests are looked at. */
const pollIntervalMs = 500;
/** A reader that has taken something within this time is a slow one, not one that has stopped, and goes only in need. */
const stallTimeoutMs = 2_000;

interface Entry {
  readonly request: RequestUnderWay;
  waitsFor: RequestState["waitsFor"];
  since: number;
  taken: number;
}

/**
 * Watches requests. The one whose client is the slowest goes first: when there are too many, when their answers take too much
 * memory, and when it takes too long. Where there are too many, those of connections that never had an answer go before all others.
 * Those that the server works for are never broken off.
 */
export function createRequestsUnderWay(limits: RequestLimits): RequestsUnderWay {
  // Each in the order in which its entries came: the first of `waiting` has waited longest.
  const waiting = new Set<Entry>();
  const working = new Set<Entry>();

  function look(entry: Entry, now: number): RequestState {
    const state = entry.request.look();
    const { waitsFor, taken } = state;
    if (waitsFor !== entry.waitsFor || taken !== entry.taken) {
      entry.since = now;
      waiting.delete(entry);
      working.delete(entry);
      (waitsFor === undefined ? working : waiting).add(entry);
    }
    entry.waitsFor = waitsFor;
    entry.taken = taken;
    return state;
  }

  function giveUp(entry: Entry, what: "request" | "connection" = "request"): void {
    waiting.delete(entry);
    entry.request.giveUp(what);
  }

  function giveUpOldest(what: "request" | "connection", whose: Whose, before = Infinity): boolean {
    for (const entry of waiting) {
      if (whose === "newcomers" && !entry.request.isNewcomer()) continue;
      const { since } = entry;
      look(entry, performance.now());
      // It may have moved on since it was last looked at.
      if (entry.waitsFor === undefined || entry.since !== since) continue;
      if (entry.since >= before) return false;
      giveUp(entry, what);
      return true;
    }
    return false;
  }

  function sweep(): void {
    const now = performance.now();
    const unread = new Map<Entry, number>();
    let total = 0;
    for (const entry of [...waiting, ...working]) {
      const { waitsFor, unreadRequest, unreadBytes } = look(entry, now);
      const limit = waitsFor === "request" ? limits.requestTimeoutMs : limits.answerTimeoutMs;
      if (waitsFor !== undefined && !unreadRequest && now - entry.since > limit) giveUp(entry);
      else if (unreadBytes > 0) {
        unread.set(entry, unreadBytes);
        total += unreadBytes;
      }
    }
    for (const [entry, bytes] of unread) {
      if (total <= limits.maxUnreadBytes) return;
      if (total <= 2 * limits.maxUnreadBytes && now - entry.since < stallTimeoutMs) continue;
      total -= bytes;
      giveUp(entry);
    }
  }

  const makeRoom = () => giveUpOldest("request", "newcomers") || giveUpOldest("request", "anyone");

  const timer = setInterval(sweep, pollIntervalMs);
  timer.unref();
  return {
    begin(request) {
      if (waiting.size + working.size >= limits.maxRequests && !makeRoom()) return undefined;
      const entry: Entry = { request, waitsFor: "request", since: performance.now(), taken: 0 };
      waiting.add(entry);
      return () => {
        waiting.delete(entry);
        working.delete(entry);
      };
    },
    closeOldest: (time, whose) => giveUpOldest("connection", whose, time),
    get size() {
      return waiting.size + working.size;
    },
    stop: () => clearInterval(timer),
  };
}
