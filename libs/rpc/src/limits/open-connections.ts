/** A connection of a client. */
export interface OpenConnection {
  /** Notes that a request of it begins; returns what notes its end. */
  request(): () => void;
  /** For how long, in milliseconds, it has had nothing under way; negative while it has. */
  idleMs(): number;
  /** Notes that it is gone. */
  closed(): void;
}

/** The connections of a port, within its limit. */
export interface OpenConnections {
  /**
   * Notes a connection, which `close` closes. When there are too many, the one that has had nothing under way, or has waited for
   * its client, for longest is closed. Undefined when there is no room.
   */
  open(close: () => void): OpenConnection | undefined;
  readonly size: number;
}

/**
 * Creates the list of a port's connections. `closeOldest` closes one that has waited for its client since before a time (of
 * `performance.now`); false when there is none.
 */
export function createOpenConnections(
  maxConnections: number,
  closeOldest: (before: number) => boolean,
): OpenConnections {
  const all = new Set<object>();
  // In the order in which they fell idle.
  const idle = new Map<object, { since: number; close: () => void }>();

  function makeRoom(): boolean {
    const [oldest] = idle;
    if (closeOldest(oldest?.[1].since ?? Infinity)) return true;
    if (oldest === undefined) return false;
    const [connection, { close }] = oldest;
    idle.delete(connection);
    all.delete(connection);
    close();
    return true;
  }

  return {
    open(close) {
      if (all.size >= maxConnections && !makeRoom()) return undefined;
      const connection = {};
      let requests = 0;
      const fallIdle = () => void idle.set(connection, { since: performance.now(), close });
      all.add(connection);
      fallIdle();
      return {
        request() {
          requests += 1;
          idle.delete(connection);
          return () => {
            requests -= 1;
            if (requests > 0 || !all.has(connection)) return;
            fallIdle();
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
