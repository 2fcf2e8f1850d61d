/** A request that has not been started. */
export interface QueuedRequest {
  /** Returns whether the client has gone. Such a request is not started. */
  isGone(): boolean;
  begin(): void;
}

/** The requests of a port that have arrived and were not started yet. */
export interface RequestQueue {
  add(request: QueuedRequest): void;
  /** Returns for how long the request that is started next has waited, in milliseconds; 0 if only a few wait. */
  getWaitMs(): number;
}

/** The number of requests that are started in each turn of the event loop. */
const maxPerTurn = 8;
/** So few are started within a few turns. If they have waited for long, the process was interrupted, and refusing others helps nobody. */
const few = 4 * maxPerTurn;

/**
 * Creates a queue that starts requests in the order of their arrival, a few in each turn of the event loop. Requests that are started as
 * soon as they arrive make a turn as long as there are connections: meanwhile, those that have been admitted would not get on, and new
 * connections would not be accepted. A request that arrives alone is started in the same turn.
 */
export function createRequestQueue(): RequestQueue {
  const arrivals = new Map<QueuedRequest, number>();
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(startRequests);
  }

  function startRequests(): void {
    planned = false;
    let started = 0;
    for (const request of arrivals.keys()) {
      if (started === maxPerTurn) return plan();
      arrivals.delete(request);
      if (request.isGone()) continue;
      started += 1;
      request.begin();
    }
  }

  return {
    add(request) {
      arrivals.set(request, performance.now());
      plan();
    },
    getWaitMs() {
      const [arrival] = arrivals.values();
      return arrival === undefined || arrivals.size <= few ? 0 : performance.now() - arrival;
    },
  };
}
