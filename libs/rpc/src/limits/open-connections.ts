/** A connection of a client. */
export interface OpenConnection {
  /** Notes that a request of it begins; returns what notes its end. */
  request(): () => void;
  /** For how long, in milliseconds, it has had nothing under way; 0 while it has. */
  idleMs(): number;
  /** Notes that it is gone. */
  closed(): void;
}

/** The connections of a port, within its limit. */
export interface OpenConnections {
  /**
   * Notes a connection, which `close` closes. When there are too many, the one that has had nothing under way for longest is
   * closed, else `giveUpBusy` is asked to make room. Undefined when there is no room.
   */
  open(close: () => void): OpenConnection | undefined;
  readonly size: number;
}

/** Creates the list of a port's connections. `giveUpBusy` closes one whose requests wait for their client; false when there is none. */
export function createOpenConnections(maxConnections: number, giveUpBusy: () => boolean): OpenConnections {
  const all = new Set<object>();
  // In the order in which they fell idle.
  const idle = new Map<object, () => void>();

  function makeRoom(): boolean {
    for (const [connection, close] of idle) {
      idle.delete(connection);
      all.delete(connection);
      close();
      return true;
    }
    return giveUpBusy();
  }

  return {
    open(close) {
      if (all.size >= maxConnections && !makeRoom()) return undefined;
      const connection = {};
      let requests = 0;
      let idleSince = performance.now();
      all.add(connection);
      idle.set(connection, close);
      return {
        request() {
          requests += 1;
          idle.delete(connection);
          return () => {
            requests -= 1;
            if (requests > 0 || !all.has(connection)) return;
            idleSince = performance.now();
            idle.set(connection, close);
          };
        },
        idleMs: () => (requests > 0 ? 0 : performance.now() - idleSince),
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
