/** A request that has not been started. */
export interface QueuedRequest {
  /** When the request has arrived, by `performance.now`. */
  readonly arrivedAt: number;
  /** Returns whether the client has disconnected. If so, the request is not started. */
  isGone(): boolean;
  begin(): void;
}

/** The requests of a port that have arrived but have not been started yet. */
export interface RequestQueue {
  add(request: QueuedRequest): void;
  /** Returns how long the next request to start has waited, in milliseconds; 0 if only a few are waiting. */
  getWaitMs(): number;
}

/** The number of requests that are started in each iteration of the event loop. */
const maxPerTurn = 8;
/** So few start within a few iterations. If they have waited for a long time, the process was interrupted, and refusals would not help. */
const few = 4 * maxPerTurn;

/**
 * Creates a queue that starts requests in the order of their arrival, a few in each iteration of the event loop. If all requests were
 * started as soon as they arrive, an iteration would take longer the more connections there are. In the meantime, admitted requests would
 * make no progress, and new connections would not be accepted. A request that arrives alone is started in the same iteration.
 */
export function createRequestQueue(): RequestQueue {
  const arrivals = new Set<QueuedRequest>();
  let planned = false;

  function plan(): void {
    if (planned) return;
    planned = true;
    setImmediate(startRequests);
  }

  function startRequests(): void {
    planned = false;
    let started = 0;
    for (const request of arrivals) {
      if (started === maxPerTurn) return plan();
      arrivals.delete(request);
      if (request.isGone()) continue;
      started += 1;
      request.begin();
    }
  }

  return {
    add(request) {
      arrivals.add(request);
      plan();
    },
    getWaitMs() {
      if (arrivals.size <= few) return 0;
      const [next] = arrivals;
      return next === undefined ? 0 : performance.now() - next.arrivedAt;
    },
  };
}
