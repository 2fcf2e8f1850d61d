/** A request that has not been started. */
export interface PendingRequest {
  /** Whether its connection has not received a response yet. */
  readonly isNew: boolean;
  /** Returns whether the client has gone. Such a request is not started. */
  isGone(): boolean;
  begin(): void;
}

/** The number of requests that are started before the event loop serves other connections. */
const maxPerTurn = 8;

/**
 * Creates a function that starts requests, a few per turn of the event loop, so that a burst does not block other clients. Requests of
 * connections that have received a response come first. No request is started in the turn in which it arrived: a connection that
 * exceeds its limits is closed within the burst, before any of its requests has been processed.
 */
export function createRequestScheduler(): (request: PendingRequest) => void {
  const served: PendingRequest[] = [];
  const newRequests: PendingRequest[] = [];
  let planned = false;

  function startRequests(): void {
    planned = false;
    for (let started = 0; started < maxPerTurn;) {
      const next = served.shift() ?? newRequests.shift();
      if (next === undefined) return;
      if (next.isGone()) continue;
      started += 1;
      next.begin();
    }
    plan();
  }

  function plan(): void {
    if (planned || served.length + newRequests.length === 0) return;
    planned = true;
    setImmediate(startRequests);
  }

  return (request) => {
    (request.isNew ? newRequests : served).push(request);
    plan();
  };
}
