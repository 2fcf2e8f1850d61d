/** A connection of a client. */
export interface OpenConnection {
  /** Whether no request of it has been answered yet. */
  isNewcomer(): boolean;
  /** Notes that a request of it begins; returns what notes its end, and whether it was answered as a whole. */
  request(): (answered: boolean) => void;
  /** For how long, in milliseconds, it has had nothing under way; negative while it has. */
  idleMs(): number;
  /** Notes that it is gone. */
  closed(): void;
}

/** Which requests may be broken off: those of connections that never had an answer, or any. */
export type Whose = "newcomers" | "anyone";

/** The connections of a port, within its limit. */
export interface OpenConnections {
  /**
   * Notes a connection, which `close` closes. When there are too many, one of those that wait for their client is closed: of the
   * connections that never had an answer the one that waits longest; without such, the one that has had nothing under way for longest;
   * and only then one whose request does not come to its end, or whose answer is not read. Undefined when there is no room.
   */
  open(close: () => void): OpenConnection | undefined;
  readonly size: number;
}

interface Idle {
  readonly since: number;
  readonly close: () => void;
}

/**
 * Creates the list of a port's connections. `closeOldest` closes one that has waited for its client since before a time (of
 * `performance.now`) while a request was under way; false when there is none.
 */
export function createOpenConnections(
  maxConnections: number,
  closeOldest: (before: number, whose: Whose) => boolean,
): OpenConnections {
  const all = new Set<object>();
  // Each in the order in which they fell idle.
  const newcomers = new Map<object, Idle>();
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
    const [oldest] = newcomers.values();
    return (
      closeOldest(oldest?.since ?? Infinity, "newcomers") ||
      closeIdle(newcomers) ||
      closeIdle(served) ||
      closeOldest(Infinity, "anyone")
    );
  }

  return {
    open(close) {
      if (all.size >= maxConnections && !makeRoom()) return undefined;
      const connection = {};
      let requests = 0;
      let idle = newcomers;
      const fallIdle = () => void idle.set(connection, { since: performance.now(), close });
      all.add(connection);
      fallIdle();
      return {
        isNewcomer: () => idle === newcomers,
        request() {
          requests += 1;
          idle.delete(connection);
          return (answered) => {
            requests -= 1;
            if (answered) idle = served;
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
