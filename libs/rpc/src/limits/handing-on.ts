/** A request that is to be begun. */
export interface PendingRequest {
  /** Whether its connection never had an answer. */
  readonly newcomer: boolean;
  /** Whether it is gone: then it is not begun. */
  isGone(): boolean;
  begin(): void;
}

/** How many requests are begun before the event loop looks at other connections, and at the other port. */
const perTurn = 8;

/**
 * Returns what begins requests, a few in each turn of the event loop, so that thousands that come at once hold up nobody else; those of
 * connections that had an answer before come first. None is begun in the turn in which it came: a connection that breaks its limits
 * ends within the burst that does so, and nothing has been done for what came before.
 */
export function createHandingOn(): (request: PendingRequest) => void {
  const served: PendingRequest[] = [];
  const newcomers: PendingRequest[] = [];
  let planned = false;

  function beginSome(): void {
    planned = false;
    for (let begun = 0; begun < perTurn;) {
      const next = served.shift() ?? newcomers.shift();
      if (next === undefined) return;
      if (next.isGone()) continue;
      begun += 1;
      next.begin();
    }
    plan();
  }

  function plan(): void {
    if (planned || served.length + newcomers.length === 0) return;
    planned = true;
    setImmediate(beginSome);
  }

  return (request) => {
    (request.newcomer ? newcomers : served).push(request);
    plan();
  };
}
