/** An open connection of a client. */
export interface OpenConnection {
  /** Returns whether none of its requests has been answered yet. */
  isNew(): boolean;
  /** Records the start of a request. Returns a function that records its end and whether it was answered completely. */
  request(): (completed: boolean) => void;
  /** Returns for how many milliseconds the connection has been idle. Negative while it has an active request. */
  idleMs(): number;
  /** Records that the connection is closed. */
  closed(): void;
}

/** The connections that may be evicted: those that have not received a response yet, or any. */
export type EvictionScope = "new" | "anyone";

/** The open connections of a port, up to a maximum number. */
export interface OpenConnections {
  /**
   * Adds a connection that can be closed with `close`. At the limit, a connection that waits for its client is evicted: preferably the
   * one that has waited longest without having received a response, then the one that has been idle longest, and last one with an
   * incomplete request or an unread response. Returns undefined if no connection can be evicted.
   */
  open(close: () => void): OpenConnection | undefined;
  readonly size: number;
}

interface Idle {
  readonly since: number;
  readonly close: () => void;
}

/**
 * Tracks the connections of a port. `closeOldest` closes a connection with an active request that has waited for its client since
 * before the given time (of `performance.now`), and returns false if there is none.
 */
export function createOpenConnections(
  maxConnections: number,
  closeOldest: (before: number, scope: EvictionScope) => boolean,
): OpenConnections {
  const all = new Set<object>();
  // Both in the order in which the connections became idle.
  const newConnections = new Map<object, Idle>();
  const served = new Map<object, Idle>();

  function closeIdle(idle: Map<object, Idle>): boolean {
    const [oldest] = idle;
    if (oldest === undefined) return false;
    const [connection, { close }] = oldest;
    idle.delete(connection);
    all.delete(connection);
    close();
    return true;
  }

  function makeRoom(): boolean {
    const [oldest] = newConnections.values();
    return (
      closeOldest(oldest?.since ?? Infinity, "new") ||
      closeIdle(newConnections) ||
      closeIdle(served) ||
      closeOldest(Infinity, "anyone")
    );
  }

  return {
    open(close) {
      if (all.size >= maxConnections && !makeRoom()) return undefined;
      const connection = {};
      let requests = 0;
      let idle = newConnections;
      const becomeIdle = () => void idle.set(connection, { since: performance.now(), close });
      all.add(connection);
      becomeIdle();
      return {
        isNew: () => idle === newConnections,
        request() {
          requests += 1;
          idle.delete(connection);
          return (completed) => {
            requests -= 1;
            if (completed) idle = served;
            if (requests > 0 || !all.has(connection)) return;
            becomeIdle();
          };
        },
        idleMs: () => performance.now() - (idle.get(connection)?.since ?? Infinity),
        closed() {
          all.delete(connection);
          idle.delete(connection);
        },
      };
    },
    get size() {
      return all.size;
    },
  };
}
