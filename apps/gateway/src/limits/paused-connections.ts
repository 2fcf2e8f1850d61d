import type { Socket } from "node:net";

/** The connections from which nothing is read for a while, because their last request was refused. */
export interface PausedConnections {
  /**
   * Counts a refusal. If there are too many, nothing is read from the connection until there are fewer, but for at most one second, which
   * is the minimum of `Retry-After`.
   */
  refused(socket: Pick<Socket, "pause" | "resume" | "destroyed">): void;
}

/** How many refusals per second are sent without a delay. They take a tenth of a busy processor, and a fifth of an idle one. */
const refusalsPerSecond = 2_500;
/** How many unused refusals are saved for a burst, and how many excess refusals count against later ones. */
const maxSaved = 250;
const maxPauseMs = 1_000;
const intervalMs = 10;

/**
 * Creates the paused connections of a port. Clients that ignore `Retry-After` could otherwise keep the server busy with refusals: even
 * the cheapest takes a quarter of the time of a short list. An unread request takes no time; it waits in the operating system, and its
 * client waits too. Clients that send nothing before the time is over are not delayed.
 */
export function createPausedConnections(): PausedConnections {
  /** The paused connections and the times at which they were paused, in this order. */
  const paused = new Map<Pick<Socket, "resume">, number>();
  let affordable = maxSaved;
  let countedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;

  function count(now: number): void {
    affordable = Math.min(maxSaved, affordable + ((now - countedAt) * refusalsPerSecond) / 1_000);
    countedAt = now;
  }

  /** Resumes as many connections as there are affordable refusals, those that have been paused longest first. */
  function wake(): void {
    const now = performance.now();
    count(now);
    let left = affordable;
    for (const [socket, since] of paused) {
      if (left < 1 && now - since < maxPauseMs) return;
      left -= 1;
      paused.delete(socket);
      socket.resume();
    }
    clearInterval(timer);
    timer = undefined;
  }

  return {
    refused(socket) {
      const now = performance.now();
      count(now);
      affordable = Math.max(-maxSaved, affordable - 1);
      if (affordable > 0 || socket.destroyed) return;
      socket.pause();
      paused.set(socket, now);
      timer ??= setInterval(wake, intervalMs).unref();
    },
  };
}
