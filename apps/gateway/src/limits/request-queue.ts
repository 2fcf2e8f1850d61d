/** A request that has not been started. */
export interface QueuedRequest {
  /** When the request has arrived, by `performance.now`. */
  readonly arrivedAt: number;
  /** Returns whether the whole request has arrived. */
  isComplete(): boolean;
  /** Starts the request. Returns false if there was nothing to do for it: its client has disconnected, or it was refused at once. */
  begin(): boolean;
}

/** The requests of a port that have arrived but have not been started yet. */
export interface RequestQueue {
  add(request: QueuedRequest): void;
  /** How many requests wait, not counting those that are known to be incomplete. */
  readonly size: number;
  /**
   * Returns how long the next of the requests that have arrived completely has waited since then, in milliseconds; 0 if only a few are
   * waiting.
   */
  getWaitMs(): number;
}

/** The number of requests that are started in each iteration of the event loop. */
const maxPerTurn = 8;
/** How many requests are checked in an iteration. Refusals are not starts, but take time too. */
const maxLookedAt = 8 * maxPerTurn;
/** How many of them may be incomplete if there are enough others. */
const maxIncomplete = 2;
/** So few start within a few iterations. If they have waited for a long time, the process was interrupted, and refusals would not help. */
const few = 4 * maxPerTurn;

/**
 * Creates a queue that starts requests a few in each iteration of the event loop. If all requests were started as soon as they arrive, an
 * iteration would take longer the more connections there are. In the meantime, admitted requests would make no progress, and new
 * connections would not be accepted. A request that arrives alone is started in the same iteration.
 *
 * Requests are started in the order in which they have arrived completely. Those that are incomplete yield to them: clients that send many
 * bodies slowly, or only begin to, do not delay the rest.
 */
export function createRequestQueue(): RequestQueue {
  const arrivals: QueuedRequest[] = [];
  /** With the times since when they are complete. */
  const complete = new Map<QueuedRequest, number>();
  const incomplete = new Set<QueuedRequest>();
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(startRequests);
  }

  /** Starts up to `count` requests. Returns how many were started. */
  function startFrom(requests: Pick<Set<QueuedRequest>, "keys" | "delete">, count: number): number {
    let [started, lookedAt] = [0, 0];
    for (const request of requests.keys()) {
      if (started === count || lookedAt === maxLookedAt) break;
      lookedAt += 1;
      requests.delete(request);
      if (request.begin()) started += 1;
    }
    return started;
  }

  function startRequests(): void {
    planned = false;
    for (const request of incomplete) {
      if (!request.isComplete()) continue;
      incomplete.delete(request);
      complete.set(request, performance.now());
    }
    // In the iteration in which a request arrives, it is not known yet whether it ends with its headers.
    for (const request of arrivals.splice(0)) {
      if (request.isComplete()) complete.set(request, request.arrivedAt);
      else incomplete.add(request);
    }
    const yielding = Math.max(maxIncomplete, maxPerTurn - complete.size);
    const started = startFrom(incomplete, yielding);
    startFrom(complete, maxPerTurn - started);
    if (complete.size + incomplete.size > 0) plan();
  }

  return {
    add(request) {
      arrivals.push(request);
      plan();
    },
    get size() {
      return arrivals.length + complete.size;
    },
    getWaitMs() {
      if (complete.size <= few) return 0;
      const [since] = complete.values();
      return since === undefined ? 0 : performance.now() - since;
    },
  };
}
