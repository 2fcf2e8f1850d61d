import type { Socket } from "node:net";
import type { RequestQueue } from "./request-queue.ts";

/** The connections of a port, which take turns if they send more requests than can be started. */
export interface ReadingTurns {
  /** Records that a request of a connection has arrived. */
  arrived(connection: ReadConnection): void;
  /**
   * Records that a request of a connection has been answered. If it had followed the last response at once, and other requests are waiting,
   * nothing is read from the connection until most of them have been started, but for at most half a second.
   */
  answered(connection: ReadConnection): void;
  /** Reads all connections again, and lets none wait for its turn from now on. */
  stop(): void;
}

/** A connection, which is new at first. */
export interface ReadConnection {
  readonly socket: Pick<Socket, "pause" | "resume" | "isPaused" | "destroyed">;
  /** When its last request was answered, by `performance.now`; -Infinity for a new connection. */
  answeredAt: number;
  /** Whether its last request followed a response at once. */
  isEager: boolean;
}

/** The number of waiting requests from which connections take turns. With fewer, the turns would cost more than they save. */
const maxWaiting = 32;
/** A client that waits for longer before it sends its next request does not have to wait for its turn. */
const eagerMs = 20;
const maxPauseMs = 500;

/**
 * Creates the reading turns of a port. A request that waits in memory survives several collections of the young generation, each of which
 * copies it: with 900 busy connections, this makes every request about a tenth more expensive. A request that is not read waits in the
 * operating system for the same time, and costs nothing. The first request after a turn comes late, so each turn has two. A proxy that sends
 * the requests of many clients over one connection is one client here.
 */
export function createReadingTurns(
  queue: Pick<RequestQueue, "size">,
  getTime: () => number = () => performance.now(),
): ReadingTurns {
  /** The paused connections and the times at which they were paused, in this order. */
  const paused = new Map<ReadConnection["socket"], number>();
  let stopped = false;

  function resume(): void {
    const now = getTime();
    let room = maxWaiting - queue.size;
    for (const [socket, since] of paused) {
      if (!stopped && room <= 0 && now - since < maxPauseMs) break;
      room -= 1;
      paused.delete(socket);
      socket.resume();
    }
    if (paused.size > 0) setImmediate(resume);
  }

  return {
    arrived(connection) {
      connection.isEager = getTime() - connection.answeredAt < eagerMs;
    },
    answered(connection) {
      const { socket, isEager } = connection;
      const now = getTime();
      connection.answeredAt = now;
      if (stopped || !isEager || queue.size < maxWaiting || socket.destroyed || socket.isPaused()) return;
      socket.pause();
      paused.set(socket, now);
      if (paused.size === 1) setImmediate(resume);
    },
    stop() {
      stopped = true;
      resume();
    },
  };
}
