import type { Socket } from "node:net";

/** The connections from which nothing is read for a while, because their last request was refused. */
export interface RestingConnections {
  /**
   * Counts a refusal. If there are too many, nothing is read from its connection until there are fewer, or for one second, which is what
   * `Retry-After` says at least.
   */
  refused(socket: Pick<Socket, "pause" | "resume" | "destroyed">): void;
}

/** How many refusals a second are served without a delay. They take a tenth of a busy processor, and a fifth of an idle one. */
const refusalsPerSecond = 2_500;
/** How many refusals may be saved up for a burst, and how many too many have an effect on later ones. */
const maxSaved = 250;
const maxRestMs = 1_000;
const intervalMs = 10;

/**
 * Creates the resting connections of a port. Clients that ignore `Retry-After` could otherwise keep the server busy with refusals: the
 * cheapest takes a quarter of the time of a short list. An unread request takes none; it waits in the operating system, and its client waits
 * too. Clients that send nothing before the time is over are not delayed.
 */
export function createRestingConnections(): RestingConnections {
  /** The connections and when they began to rest, in this order. */
  const resting = new Map<Pick<Socket, "resume">, number>();
  let affordable = maxSaved;
  let countedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;

  function count(now: number): void {
    affordable = Math.min(maxSaved, affordable + ((now - countedAt) * refusalsPerSecond) / 1_000);
    countedAt = now;
  }

  /** Wakes as many connections as refusals are affordable, those first that have rested longest. */
  function wake(): void {
    const now = performance.now();
    count(now);
    let left = affordable;
    for (const [socket, since] of resting) {
      if (left < 1 && now - since < maxRestMs) return;
      left -= 1;
      resting.delete(socket);
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
      resting.set(socket, now);
      timer ??= setInterval(wake, intervalMs).unref();
    },
  };
}
